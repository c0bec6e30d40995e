// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.internal.Host;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.k8s.ControllerBuilder;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.source.EventHandler;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.source.SourceRegistry;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Two hosts, between which slots move. The reconciler of a policy adds a source of secrets, and
 * comes back after an hour: what a secret says in the meantime reaches it by an event, or never.
 */
class AddedSourceOwnershipTest {

  private static final int POLICIES = 60;
  private static final int SLOTS = 16;

  private static final EventHandler<V1Secret> POLICY_OF =
      Handlers.mapByMetadata(metadata ->
          metadata.getLabels() != null && metadata.getLabels().containsKey("policy")
              ? List.of(
                  Request.of(
                      Objects.requireNonNull(metadata.getNamespace()),
                      metadata.getLabels().get("policy")))
              : List.of());

  /** What an attempt has seen, and where. */
  private record Seen(String replica, String value) {}

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes user = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final Map<String, Seen> seen = new ConcurrentHashMap<>();
  private final Replica one = new Replica("one", 1);
  private final Replica two = new Replica("two", 3);

  @AfterEach
  void stop() {
    one.stop();
    two.stop();
    user.close();
    server.close();
  }

  @Test
  void handOver_takesTheAddedSourceAlong_andNoEventOfItIsMissed() {
    for (int i = 0; i < POLICIES; i++) {
      V1ObjectMeta metadata = new V1ObjectMeta().namespace("default").name("p" + i);
      user.resource(V1ConfigMap.class)
          .create(new V1ConfigMap().metadata(metadata.putLabelsItem("role", "policy")));
      user.resource(V1Secret.class)
          .create(
              new V1Secret()
                  .metadata(
                      new V1ObjectMeta()
                          .namespace("default")
                          .name("p" + i)
                          .putLabelsItem("policy", "p" + i)));
    }
    one.start();
    change("first");
    assertThat(seenBy("one")).as("by the only replica").isEqualTo(POLICIES);
    assertThat(one.addedSource().path("synced").asBoolean()).isTrue();

    two.start();
    Admin.await(() -> two.openSlots() == SLOTS * 3 / 4 && one.openSlots() == SLOTS / 4);
    Admin.await(() -> two.addedSource().path("synced").asBoolean());
    change("second");
    assertThat(seenBy("two")).isGreaterThan(POLICIES / 3);
    assertThat(seenBy("one")).isPositive();
    assertThat(two.kubernetes.caches())
        .filteredOn(cache -> cache.name().contains("Secret"))
        .singleElement()
        .as("it has the objects of its own slots only")
        .satisfies(cache -> assertThat(cache.filtered()).isTrue())
        .satisfies(cache -> assertThat(cache.objects()).isBetween(1, POLICIES - 1));

    one.stop();
    Admin.await(() -> two.openSlots() == SLOTS);
    change("third");
    assertThat(seenBy("two")).isEqualTo(POLICIES);

    two.stop();
    assertThat(one.kubernetes.caches()).as("no watch is left").isEmpty();
    assertThat(two.kubernetes.caches()).isEmpty();
  }

  /** Changes each secret, and waits until its policy has seen it. */
  private void change(String value) {
    for (int i = 0; i < POLICIES; i++) {
      user.resource(V1Secret.class)
          .modify(
              Request.of("default", "p" + i),
              secret -> secret.putDataItem("v", value.getBytes(StandardCharsets.UTF_8)));
    }
    Admin.await(
        () -> seen.values().stream().filter(one -> one.value().equals(value)).count() == POLICIES);
  }

  private long seenBy(String replica) {
    return seen.values().stream().filter(one -> one.replica().equals(replica)).count();
  }

  private final class Replica {
    private final String name;
    private final Kubernetes kubernetes = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
    private final Host host;
    private final Admin admin;
    private boolean started;

    Replica(String name, int weight) {
      this.name = name;
      host =
          new Host(
              Admin.configuration(
                  name,
                  "changes.pauses.enabled=false",
                  "membership.renewPeriod=200ms",
                  "membership.slots=" + SLOTS,
                  "membership.weight=" + weight),
              List.of(new Policies()),
              kubernetes,
              new HostMetrics(name),
              Clock.system());
      admin = new Admin(host);
    }

    void start() {
      started = true;
      host.start().await();
      host.ready().await();
    }

    void stop() {
      if (started) {
        started = false;
        host.stop().await();
        admin.close();
      }
    }

    int openSlots() {
      for (JsonNode share : admin.get("/slots").path("shares")) {
        if (share.path("replica").asText().equals(name)) {
          return share.path("open").asInt();
        }
      }
      return 0;
    }

    JsonNode addedSource() {
      JsonNode sources = admin.get("/controllers/policies?scope=local").path("sources");
      for (JsonNode source : sources) {
        if (source.path("addedAs").asText().equals("secrets")) {
          return source;
        }
      }
      return sources.path("none");
    }

    private final class Policies implements ControllerDefinition {
      @Override
      public String name() {
        return "policies";
      }

      @Override
      public Controller<?> create(ControllerEnvironment environment) {
        Kubernetes k8s = environment.get(Kubernetes.class);
        ControllerBuilder builder =
            k8s.controller("policies").forKind(k8s.kind(V1ConfigMap.class).labels("role=policy"));
        SourceRegistry<Request> registry = builder.sourceRegistry();
        return builder.reconciles((request, context) -> {
          Future<KindSource<V1Secret>> secrets =
              registry.add(
                  "secrets", () -> k8s.kind(V1Secret.class).handledBy(POLICY_OF).toSource());
          if (!secrets.isComplete()) {
            return Result.requeueAfter(Duration.ofMillis(50));
          }
          secrets
              .result()
              .get(request)
              .map(V1Secret::getData)
              .filter(data -> data.containsKey("v"))
              .ifPresent(data ->
                  seen.put(
                      request.name(),
                      new Seen(name, new String(data.get("v"), StandardCharsets.UTF_8))));
          return Result.requeueAfter(Duration.ofHours(1));
        });
      }
    }
  }
}
