// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.controller.ReconcileBody;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.object.StatusConditions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.RequestSink;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.RetryAfterException;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.testing.Await;
import dev.coxswain.testkit.TestAttempt;
import dev.coxswain.verticle.ControllerVerticle;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobStatus;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import io.kubernetes.client.openapi.models.V1StatefulSetStatus;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The snippets of the guide are the code of this package, and it works. */
class ApiGuideTest {

  private static final Request KEY = Request.of("default", "shop");

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes k8s = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final Resource<Website> websites = k8s.resource(Website.class);
  private final Resource<V1ConfigMap> maps = k8s.resource(V1ConfigMap.class);
  private final RecordingSink sink = new RecordingSink();
  private final List<String> calls = new ArrayList<>();
  private boolean vendorFails;

  private final Vendor vendor =
      new Vendor() {
        @Override
        public void publish(String name, Duration limit) throws IOException {
          calls.add("publish " + name);
          if (vendorFails) {
            throw new IOException("no answer");
          }
        }

        @Override
        public void withdraw(String name) {
          calls.add("withdraw " + name);
        }
      };

  @Test
  void aSourceOfOnesOwn_addsWhatItReceives_untilItStops() {
    List<Consumer<Broker.Message>> listeners = new ArrayList<>();
    Messages source =
        new Messages(
            new Broker() {
              @Override
              public Subscription subscribe(Consumer<Message> listener) {
                listeners.add(listener);
                return listeners::clear;
              }

              @Override
              public boolean isConnected() {
                return !listeners.isEmpty();
              }
            });
    assertThat(source.start(sink).succeeded()).isTrue();
    listeners.getFirst().accept(new Broker.Message("default", "shop"));
    assertThat(sink.added()).containsExactly("default/shop 0 EVENT");
    assertThat(source.problem()).isEmpty();
    assertThat(source.stop().succeeded()).isTrue();
    assertThat(source.problem()).contains("the broker is not connected");
  }

  @BeforeEach
  void install() {
    server.apply(
        """
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata: {name: websites.guide.coxswain.dev}
        spec:
          group: guide.coxswain.dev
          names: {kind: Website, listKind: WebsiteList, plural: websites, singular: website}
          scope: Namespaced
          versions:
          - name: v1
            served: true
            storage: true
            subresources: {status: {}}
            schema:
              openAPIV3Schema:
                type: object
                x-kubernetes-preserve-unknown-fields: true
        """);
  }

  @AfterEach
  void close() {
    k8s.close();
    server.close();
  }

  private static Result reconcile(Controller<Request> controller) throws Exception {
    return ((ReconcileBody.Blocking<Request>) ControllerRuntime.bodyOf(controller))
        .reconciler()
        .reconcile(KEY, TestAttempt.of("website"));
  }

  private String ready() {
    return StatusConditions.find(websites.get(KEY).orElseThrow().conditions(), "Ready")
        .map(condition -> condition.getStatus() + " " + condition.getReason())
        .orElse("");
  }

  @Test
  void controllerOfTheGuide_publishes_reports_andCleansUp() throws Exception {
    Controller<Request> controller = WebsiteController.create(k8s, Clock.system(), vendor);
    controller.sources().forEach(source -> Await.get(source.start(sink)));
    Website website = new Website();
    website.setMetadata(new V1ObjectMeta().namespace("default").name("shop"));
    website.spec = new Website.Spec("The shop", null);
    websites.create(website);
    sink.awaitAdded("default/shop 0 EVENT");

    assertThat(reconcile(controller))
        .isEqualTo(Result.requeueAfter(Duration.ofHours(1)).withPriority(-50));
    assertThat(ConfigMaps.data(maps.get(KEY).orElseThrow()))
        .containsEntry("index.html", "<h1>The shop</h1>");
    assertThat(ready()).isEqualTo("True Published");

    vendorFails = true;
    assertThatThrownBy(() -> reconcile(controller))
        .isInstanceOfSatisfying(
            RetryAfterException.class, e -> assertThat(e.delay()).isEqualTo(Duration.ofMinutes(1)));
    assertThat(ready()).isEqualTo("False CdnUnreachable");

    vendorFails = false;
    maps.delete(KEY);
    Await.until(sink.added()::toString, () -> sink.added().size() >= 3);
    websites.delete(KEY);
    reconcileUntil(controller, () -> websites.get(KEY).isEmpty());
    assertThat(calls).contains("publish shop").endsWith("withdraw shop");
    controller.sources().forEach(source -> Await.get(source.stop()));
  }

  @Test
  void declaredDependantsOfTheGuide_areApplied_andDeleted() throws Exception {
    Controller<Request> controller = Snippets.declared(k8s);
    controller.sources().forEach(source -> Await.get(source.start(sink)));
    Website website = new Website();
    website.setMetadata(new V1ObjectMeta().namespace("default").name("shop"));
    website.spec = new Website.Spec("The shop", "yes");
    websites.create(website);
    sink.awaitAdded("default/shop 0 EVENT");

    reconcile(controller);
    assertThat(ConfigMaps.data(maps.get(Request.of("default", "shop-page")).orElseThrow()))
        .containsEntry("index.html", "The shop");
    Resource<V1Secret> secrets = k8s.resource(V1Secret.class);
    assertThat(secrets.get(KEY)).isPresent();
    assertThat(Snippets.reports).containsEntry(KEY, "True true");

    websites.modify(KEY, site -> site.spec = new Website.Spec("The shop", null));
    reconcileUntil(controller, () -> secrets.get(KEY).isEmpty());
    controller.sources().forEach(source -> Await.get(source.stop()));
  }

  private List<String> conditions() {
    return websites.get(KEY).orElseThrow().conditions().stream()
        .map(one -> one.getType() + " " + one.getStatus() + " " + one.getReason())
        .toList();
  }

  @Test
  void workflowOfTheGuide_waits_reports_andEndsInOrder() throws Exception {
    Controller<Request> controller = Workflow.create(k8s, Clock.system());
    controller.sources().forEach(source -> Await.get(source.start(sink)));
    Website website = new Website();
    website.setMetadata(new V1ObjectMeta().namespace("default").name("shop"));
    website.spec = new Website.Spec("intro end", "yes");
    websites.create(website);
    sink.awaitAdded("default/shop 0 EVENT");
    reconcile(controller);
    assertThat(conditions())
        .containsExactly(
            "DatabaseReady False NotReady",
            "SchemaReady False Waiting",
            "PagesReady False Waiting");

    k8s.resource(V1StatefulSet.class)
        .modifyStatus(
            KEY,
            set ->
                set.setStatus(
                    new V1StatefulSetStatus()
                        .observedGeneration(set.getMetadata().getGeneration())
                        .replicas(1)
                        .readyReplicas(1)));
    reconcileUntil(controller, () -> conditions().get(1).endsWith("NotReady"));
    k8s.resource(V1Job.class)
        .modifyStatus(KEY, job -> job.setStatus(new V1JobStatus().succeeded(1)));
    reconcileUntil(controller, () -> conditions().get(2).equals("PagesReady True Applied"));
    assertThat(maps.get(Request.of("default", "shop-intro"))).isPresent();

    websites.delete(KEY);
    reconcileUntil(controller, () -> websites.get(KEY).isEmpty());
    assertThat(maps.get(Request.of("default", "shop-intro"))).isEmpty();
    assertThat(k8s.resource(V1StatefulSet.class).get(KEY)).isEmpty();
    controller.sources().forEach(source -> Await.get(source.stop()));
  }

  /** In place of the events, which lead to attempts of a controller that runs. */
  private static void reconcileUntil(Controller<Request> controller, BooleanSupplier condition) {
    Await.until(
        "the condition holds",
        () -> {
          try {
            reconcile(controller);
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
          return condition.getAsBoolean();
        });
  }

  @Test
  void policiesOfTheGuide_watchTheKindThatTheyName() {
    Vertx vertx = Vertx.vertx();
    ControllerVerticle<Request> verticle =
        new ControllerVerticle<>(
            Snippets.policies(k8s),
            new ControllerRuntime(
                name -> new LocalRetryBudget(name, 10, 100, Clock.system()),
                _ -> ControllerTelemetry.NONE,
                Clock.system(),
                Duration.ZERO));
    Await.get(vertx.deployVerticle(verticle));
    maps.create(
        new V1ConfigMap()
            .metadata(
                new V1ObjectMeta()
                    .namespace("default")
                    .name("strict")
                    .putLabelsItem("policy", "yes"))
            .putDataItem("plural", "secrets")
            .putDataItem("kind", "Secret"));
    Request strict = Request.of("default", "strict");
    Await.until("the kind is listed", () -> Objects.equals(Snippets.enforced.get(strict), 0));
    k8s.resource(V1Secret.class)
        .create(
            new V1Secret()
                .metadata(
                    new V1ObjectMeta()
                        .namespace("default")
                        .name("key")
                        .putLabelsItem("policy", "strict")));
    Await.until("the object is reported", () -> Objects.equals(Snippets.enforced.get(strict), 1));
    assertThat(verticle.handle().status().sources())
        .extracting(source -> source.addedAs())
        .containsExactly(null, "secrets");
    Await.get(vertx.close());
    assertThat(k8s.caches()).isEmpty();
  }

  private static V1Pod pod(String phase) {
    return new V1Pod()
        .metadata(
            new V1ObjectMeta()
                .namespace("default")
                .name("p")
                .addOwnerReferencesItem(
                    new V1OwnerReference()
                        .apiVersion("guide.coxswain.dev/v1")
                        .kind("Website")
                        .name("shop")
                        .uid("u")
                        .controller(true)))
        .status(new io.kubernetes.client.openapi.models.V1PodStatus().phase(phase));
  }

  @Test
  void predicateAndHandlerOfTheGuide_areTestedWithEvents() {
    ObjectEvent<V1Pod> ended = ObjectEvent.updated(pod("Running"), pod("Succeeded"));
    assertThat(Snippets.predicate().test(ended)).isTrue();
    assertThat(Snippets.predicate().test(ObjectEvent.added(pod("Succeeded")))).isFalse();

    List<Request> requests = new ArrayList<>();
    Snippets.handler().handle(ended, RequestSink.to(requests::add));
    assertThat(requests).contains(Request.of("default", "shop"));
  }

  private static String squeezed(String code) {
    return code.replaceAll("\\s+", "");
  }

  @Test
  void everySnippetOfTheGuide_isCodeOfThisPackage() throws IOException {
    StringBuilder compiled = new StringBuilder();
    try (Stream<Path> files =
        Files.list(Path.of("src/test/java/dev/coxswain/k8s/guide")).sorted()) {
      for (Path file : files.toList()) {
        compiled.append(squeezed(Files.readString(file)));
      }
    }
    List<String> snippets = new ArrayList<>();
    for (String page : List.of("guides/api.md", "reference/other-sources.md")) {
      Pattern.compile("(?s)```java\n(.*?)```")
          .matcher(Files.readString(Path.of("../docs", page)))
          .results()
          .forEach(found -> snippets.add(found.group(1)));
    }
    assertThat(snippets).hasSizeGreaterThan(5);
    assertThat(snippets)
        .allSatisfy(snippet -> assertThat(compiled.toString()).contains(squeezed(snippet)));
  }
}
