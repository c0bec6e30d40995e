// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.resource.DeleteOptions;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourcePage;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.k8s.resource.ResourceWatch;
import dev.coxswain.k8s.resource.ResourceWatch.Kind;
import dev.coxswain.k8s.resource.WriteOptions.FieldValidation;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Scale;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests beyond those of one object and its merge patch. */
class ClientRequestsTest {

  private static final Request KEY = Request.of("default", "x");
  private static final ListOptions HERE = ListOptions.ALL.inNamespace("default");

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes k8s = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final Resource<V1ConfigMap> maps = k8s.resource(V1ConfigMap.class);
  private final Resource<Widget> widgets = k8s.resource(Widget.class);
  private final Resource<Unstructured> trees =
      k8s.resource(ResourceType.unstructured("test.coxswain.dev", "v1", "widgets", "Widget", true));

  @BeforeEach
  void install() {
    server.apply(Widget.DEFINITION);
  }

  @AfterEach
  void close() {
    k8s.close();
    server.close();
  }

  private static V1ConfigMap map(String name) {
    return new V1ConfigMap()
        .metadata(new V1ObjectMeta().namespace("default").name(name).labels(Map.of("set", "test")))
        .data(Map.of("v", "1"));
  }

  private static JsonObject json(String text) {
    return JsonParser.parseString(text.replace('\'', '"')).getAsJsonObject();
  }

  private static String version(V1ConfigMap map) {
    return Objects.requireNonNull(ConfigMaps.meta(map).getResourceVersion());
  }

  private KindSource<V1ConfigMap> ownWrites() {
    KindSource<V1ConfigMap> source =
        k8s.kind(V1ConfigMap.class)
            .inNamespace("default")
            .readYourWrites(k8s.ownWrites())
            .toSource();
    Await.get(source.start(new RecordingSink()));
    return source;
  }

  @Test
  void dryRun_isCheckedAndAnswered_andChangesNothing() {
    Resource<V1ConfigMap> dry = maps.dryRun();
    KindSource<V1ConfigMap> cache = ownWrites();
    assertThat(ConfigMaps.meta(dry.create(map("x"))).getUid()).isNotEmpty();
    assertThat(maps.get(KEY)).isEmpty();
    assertThat(cache.get(KEY)).as("no write to read").isEmpty();

    V1ConfigMap stored = maps.create(map("x"));
    assertThatThrownBy(() -> dry.create(map("x"))).isInstanceOf(ApiStatusException.class);
    assertThat(dry.modify(KEY, m -> ConfigMaps.data(m).put("v", "2")).map(ConfigMaps::value))
        .contains("2");
    assertThat(ConfigMaps.value(dry.apply(map("x").data(Map.of("v", "3"))))).isEqualTo("3");
    assertThat(dry.delete(KEY)).isTrue();
    assertThat(dry.deleteAll(HERE.labels("set=test"), DeleteOptions.BACKGROUND)).isEqualTo(1);
    assertThat(maps.get(KEY).map(ClientRequestsTest::version)).contains(version(stored));
    assertThat(cache.get(KEY).map(ConfigMaps::value)).contains("1");
  }

  @Test
  void unknownField_isRefusedWhenValidationIsStrict_andDroppedOtherwise() {
    Resource<Unstructured> untyped =
        k8s.resource(ResourceType.unstructured("", "v1", "configmaps", "ConfigMap", true));
    Resource<Unstructured> strict =
        untyped.with(options -> options.withFieldValidation(FieldValidation.STRICT));

    assertThatThrownBy(() -> strict.createOrPatchJson(KEY, tree -> tree.addProperty("dta", 1)))
        .isInstanceOf(ApiStatusException.class)
        .hasMessageContaining("unknown field \"dta\"");
    assertThat(untyped.createOrPatchJson(KEY, tree -> tree.addProperty("dta", 1)).at("dta"))
        .isEmpty();
    assertThatThrownBy(() -> strict.patch(KEY, json("{'dta':1}")))
        .hasMessageContaining("unknown field \"dta\"");
  }

  @Test
  void fieldManager_ownsWhatIsWritten() {
    maps.with(options -> options.withFieldManager("someone")).create(map("x"));
    Unstructured tree =
        k8s.resource(ResourceType.unstructured("", "v1", "configmaps", "ConfigMap", true))
            .get(KEY)
            .orElseThrow();
    assertThat(tree.at("metadata", "managedFields").orElseThrow().toString())
        .contains("\"manager\":\"someone\"");
  }

  @Test
  void pages_areReadOneByOne_andAllHaveTheVersionOfTheList() {
    for (int i = 0; i < 5; i++) {
      maps.create(map("m-" + i));
    }
    List<String> names = new ArrayList<>();
    List<Integer> sizes = new ArrayList<>();
    List<String> versions = new ArrayList<>();
    String next = "";
    do {
      ResourcePage<V1ConfigMap> page = maps.page(HERE.labels("set=test"), 2, next);
      page.items().forEach(item -> names.add(ConfigMaps.meta(item).getName()));
      sizes.add(page.items().size());
      versions.add(page.resourceVersion());
      next = page.next();
      maps.create(map("n-" + sizes.size())); // not in the list, which is older
    } while (!next.isEmpty());

    assertThat(names).containsExactly("m-0", "m-1", "m-2", "m-3", "m-4");
    assertThat(sizes).containsExactly(2, 2, 1);
    assertThat(versions).containsOnly(versions.getFirst());
    assertThat(maps.page(HERE.labels("set=test"), 0, "").items()).hasSize(8);
  }

  @Test
  void watch_hasPresentObjects_thenChanges_andContinuesFromAVersion() {
    maps.create(map("x"));
    String seen;
    try (ResourceWatch<V1ConfigMap> watch = maps.watch(HERE.labels("set=test"), "")) {
      ResourceWatch.Event<V1ConfigMap> first = watch.next().orElseThrow();
      assertThat(first.kind()).isEqualTo(Kind.ADDED);
      assertThat(ConfigMaps.value(first.object())).isEqualTo("1");
      V1ConfigMap changed = maps.patch(KEY, json("{'data':{'v':'2'}}"));
      ResourceWatch.Event<V1ConfigMap> second = watch.next().orElseThrow();
      assertThat(second.kind()).isEqualTo(Kind.MODIFIED);
      assertThat(ConfigMaps.value(second.object())).isEqualTo("2");
      seen = watch.resourceVersion();
      assertThat(seen).isEqualTo(version(changed));
    }
    maps.delete(KEY);
    try (ResourceWatch<V1ConfigMap> watch = maps.watch(HERE, seen)) {
      ResourceWatch.Event<V1ConfigMap> last = watch.next().orElseThrow();
      assertThat(last.kind()).isEqualTo(Kind.DELETED);
      assertThat(maps.key(last.object())).isEqualTo(KEY);
      server.faults().closeWatches();
      assertThat(watch.next()).isEmpty();
    }
  }

  @Test
  void watchFromAVersionThatIsTooOld_isExpired() {
    String old = version(maps.create(map("x")));
    maps.delete(KEY);
    server.faults().compactHistory();
    try (ResourceWatch<V1ConfigMap> watch = maps.watch(HERE, old)) {
      assertThatThrownBy(watch::next)
          .isInstanceOfSatisfying(
              ApiStatusException.class, e -> assertThat(e.isExpired()).isTrue());
    }
  }

  @Test
  void deleteAll_deletesTheSelectedOnes_atOnceForReadsOfOwnWrites() {
    maps.create(map("a"));
    maps.create(map("b"));
    V1ConfigMap held = map("held");
    ConfigMaps.meta(held).setFinalizers(List.of("test.coxswain.dev/hold"));
    maps.create(held);
    V1ConfigMap other = map("other");
    ConfigMaps.meta(other).setLabels(Map.of());
    maps.create(other);
    KindSource<V1ConfigMap> cache = ownWrites();

    assertThat(maps.deleteAll(HERE.labels("set=test"), DeleteOptions.BACKGROUND)).isEqualTo(3);
    assertThat(cache.contains(Request.of("default", "a"))).isFalse();
    assertThat(cache.contains(Request.of("default", "b"))).isFalse();
    assertThat(cache.contains(Request.of("default", "held"))).isTrue();
    assertThat(cache.contains(Request.of("default", "other"))).isTrue();
    assertThat(maps.list(HERE.labels("set=test"))).hasSize(1);
    assertThatThrownBy(() -> maps.deleteAll(ListOptions.ALL, DeleteOptions.BACKGROUND))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("one namespace");
  }

  private Resource<V1Deployment> deployed() {
    Resource<V1Deployment> deployments = k8s.resource(V1Deployment.class);
    server.apply(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {namespace: default, name: x}
        spec:
          replicas: 2
          selector: {matchLabels: {app: x}}
          template:
            metadata: {labels: {app: x}}
            spec: {containers: [{name: a, image: "a:1"}, {name: b, image: "b:1"}]}
        """);
    return deployments;
  }

  @Test
  void strategicPatch_mergesContainersByName_andCustomResourcesRefuseIt() {
    V1Deployment patched =
        deployed()
            .strategicPatch(
                KEY,
                json("{'spec':{'template':{'spec':{'containers':[{'name':'b','image':'b:2'}]}}}}"));
    List<V1Container> containers =
        Objects.requireNonNull(Objects.requireNonNull(patched.getSpec()).getTemplate().getSpec())
            .getContainers();
    assertThat(containers.stream().map(V1Container::getImage)).containsExactly("a:1", "b:2");

    widgets.create(Widget.of("x", 1));
    assertThatThrownBy(() -> widgets.strategicPatch(KEY, json("{'spec':{'size':2}}")))
        .isInstanceOfSatisfying(ApiStatusException.class, e -> assertThat(e.code()).isEqualTo(415));
  }

  @Test
  void scale_isReadAndSet_andIsRefusedWhereThereIsNone() {
    Resource<V1Deployment> deployments = deployed();
    assertThat(deployments.scale(KEY).map(ClientRequestsTest::wanted)).contains(2);
    assertThat(wanted(deployments.dryRun().scaleTo(KEY, 9))).isEqualTo(9);
    assertThat(wanted(deployments.scaleTo(KEY, 5))).isEqualTo(5);
    assertThat(deployments.scale(KEY).map(ClientRequestsTest::wanted)).contains(5);
    assertThat(deployments.scale(Request.of("default", "none"))).isEmpty();
    assertThatThrownBy(() -> deployments.scaleTo(Request.of("default", "none"), 1))
        .isInstanceOf(ApiStatusException.class);
    assertThat(widgets.scale(KEY)).as("of an object that does not exist").isEmpty();
    widgets.create(Widget.of("x", 1));
    maps.create(map("x"));
    for (Resource<?> without : List.of(widgets, maps)) {
      for (ThrowingCallable call :
          List.<ThrowingCallable>of(() -> without.scale(KEY), () -> without.scaleTo(KEY, 1))) {
        assertThatThrownBy(call)
            .isInstanceOf(UnsupportedOperationException.class)
            .hasMessageStartingWith(without.type() + " has no scale subresource");
      }
    }
    assertThatThrownBy(() -> deployments.scaleTo(KEY, -1))
        .isInstanceOfSatisfying(ApiStatusException.class, e -> assertThat(e.code()).isEqualTo(422));
  }

  private static int wanted(V1Scale scale) {
    return Objects.requireNonNull(Objects.requireNonNull(scale.getSpec()).getReplicas());
  }

  @Test
  void eviction_deletesAPod_unlessABudgetProtectsIt() {
    Resource<V1Pod> pods = k8s.resource(V1Pod.class);
    server.apply(
        """
        apiVersion: v1
        kind: Pod
        metadata: {namespace: default, name: x, labels: {app: x}}
        spec: {containers: [{name: a, image: "a:1"}]}
        ---
        apiVersion: policy/v1
        kind: PodDisruptionBudget
        metadata: {namespace: default, name: x}
        spec: {minAvailable: 1, selector: {matchLabels: {app: x}}}
        """);
    pods.patchStatus(
        KEY,
        json("{'status':{'phase':'Running','conditions':[{'type':'Ready','status':'True'}]}}"));

    assertThatThrownBy(() -> pods.evict(KEY, DeleteOptions.BACKGROUND))
        .isInstanceOfSatisfying(
            ApiStatusException.class,
            e -> {
              assertThat(e.code()).isEqualTo(429);
              assertThat(e.delay()).isEqualTo(Duration.ofSeconds(10));
            });
    k8s.resource(V1PodDisruptionBudget.class)
        .patchStatus(KEY, json("{'status':{'observedGeneration':1,'disruptionsAllowed':1}}"));
    assertThat(pods.dryRun().evict(KEY, DeleteOptions.BACKGROUND)).isTrue();
    assertThat(pods.get(KEY)).isPresent();
    assertThatThrownBy(() -> pods.evict(KEY, DeleteOptions.BACKGROUND.withUid("another")))
        .isInstanceOfSatisfying(ApiStatusException.class, e -> assertThat(e.isConflict()).isTrue());
    k8s.resource(V1PodDisruptionBudget.class)
        .patchStatus(KEY, json("{'status':{'disruptionsAllowed':1}}"));
    assertThat(pods.evict(KEY, DeleteOptions.BACKGROUND)).isTrue();
    assertThat(pods.get(KEY)).isEmpty();
    assertThat(pods.evict(KEY, DeleteOptions.BACKGROUND)).isFalse();
    assertThatThrownBy(() -> maps.evict(KEY, DeleteOptions.BACKGROUND))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void unstructuredObject_isCreatedThenChanged_asATree() {
    Unstructured created =
        trees.createOrPatchJson(KEY, tree -> tree.add("spec", json("{'size':1,'unknown':[1,2]}")));
    assertThat(created.getKind()).isEqualTo("Widget");
    AtomicInteger calls = new AtomicInteger();
    Unstructured changed =
        trees.createOrPatchJson(
            KEY,
            tree -> {
              if (calls.incrementAndGet() == 1) {
                widgets.patch(KEY, json("{'spec':{'size':7}}")); // a concurrent write
              }
              tree.getAsJsonObject("spec").addProperty("more", true);
            });
    assertThat(calls).hasValue(2);
    assertThat(changed.at("spec").orElseThrow())
        .isEqualTo(json("{'size':7,'unknown':[1,2],'more':true}"));
    assertThat(
            trees.modifyJson(KEY, tree -> {}).map(tree -> tree.getMetadata().getResourceVersion()))
        .as("nothing is sent without a difference")
        .contains(changed.getMetadata().getResourceVersion());
    assertThat(trees.modifyStatusJson(KEY, tree -> tree.add("status", json("{'phase':'Up'}"))))
        .get()
        .satisfies(tree ->
            assertThat(tree.at("status", "phase").orElseThrow().getAsString()).isEqualTo("Up"));
    assertThat(trees.modifyJson(Request.of("default", "none"), tree -> {})).isEmpty();
    assertThatThrownBy(() ->
            trees.modifyJson(
                KEY, tree -> tree.getAsJsonObject("metadata").addProperty("name", "y")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> trees.createOrPatch(KEY, () -> created, tree -> {}))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("createOrPatchJson");
  }

  private Widget sized(int size, String phase) {
    return widgets.createOrPatchWithStatus(
        KEY,
        Widget::new,
        widget -> {
          widget.spec = new Widget.Spec(size, null);
          widget.status = new Widget.Status(phase);
        });
  }

  @Test
  void objectAndStatus_areWrittenInOneCall_eachOnlyWhenItChanges() {
    Widget created = sized(1, "New");
    assertThat(created.status).isEqualTo(new Widget.Status("New"));
    assertThat(created.spec).isEqualTo(new Widget.Spec(1, null));
    String first = created.getMetadata().getResourceVersion();
    assertThat(sized(1, "New").getMetadata().getResourceVersion())
        .as("nothing is sent without a difference")
        .isEqualTo(first);
    Widget both = sized(2, "Grown");
    assertThat(both.status).isEqualTo(new Widget.Status("Grown"));
    assertThat(both.spec).isEqualTo(new Widget.Spec(2, null));
    long generation = Objects.requireNonNull(both.getMetadata().getGeneration());
    Widget status = sized(2, "Done");
    assertThat(status.getMetadata().getGeneration()).isEqualTo(generation);
    assertThat(widgets.get(KEY).orElseThrow().status).isEqualTo(new Widget.Status("Done"));
    assertThat(sized(3, "Done").spec).isEqualTo(new Widget.Spec(3, null));
    assertThat(
            widgets
                .dryRun()
                .createOrPatchWithStatus(
                    Request.of("default", "dry"),
                    Widget::new,
                    w -> w.status = new Widget.Status("New")))
        .isNotNull();
    assertThat(widgets.get(Request.of("default", "dry"))).isEmpty();
  }
}
