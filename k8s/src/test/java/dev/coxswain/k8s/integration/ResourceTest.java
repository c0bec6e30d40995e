// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.resource.DeleteOptions;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.OwnerReferences;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.RetryAfter;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

class ResourceTest {

  private static final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private static final Kubernetes k8s =
      Kubernetes.at(server.url(), KubernetesOptions.DEFAULT.withPageSize(2));

  private final Resource<V1ConfigMap> maps = k8s.resource(V1ConfigMap.class);
  private final Resource<Widget> widgets = k8s.resource(Widget.class);

  @BeforeAll
  static void start() {
    server.apply(Widget.DEFINITION);
  }

  @AfterAll
  static void stop() {
    k8s.close();
    server.close();
  }

  @AfterEach
  void repair() {
    server.faults().reset();
  }

  private static Request key(TestInfo test) {
    return Request.of(
        "default",
        test.getTestMethod()
            .orElseThrow()
            .getName()
            .toLowerCase(java.util.Locale.ROOT)
            .replace('_', '-'));
  }

  private V1ConfigMap create(Request key) {
    return maps.create(
        new V1ConfigMap()
            .metadata(new V1ObjectMeta().namespace(key.namespace()).name(key.name()))
            .data(Map.of("v", "1")));
  }

  @Test
  void created_read_updated_deleted(TestInfo test) {
    Request key = key(test);
    V1ConfigMap created = create(key);
    assertThat(ConfigMaps.meta(created).getUid()).isNotEmpty();
    assertThat(maps.get(key).map(ConfigMaps::value)).contains("1");

    ConfigMaps.data(created).put("v", "2");
    maps.update(created);

    assertThat(maps.get(key).map(ConfigMaps::value)).contains("2");
    assertThat(maps.delete(key)).isTrue();
    assertThat(maps.get(key)).isEmpty();
    assertThat(maps.delete(key)).isFalse();
  }

  @Test
  void list_isReadInPages_andSelected() {
    for (int i = 0; i < 5; i++) {
      maps.create(
          new V1ConfigMap()
              .metadata(
                  new V1ObjectMeta()
                      .namespace("kube-public")
                      .name("listed-" + i)
                      .labels(Map.of("n", "" + i))));
    }

    assertThat(maps.list(ListOptions.ALL.inNamespace("kube-public").labels("n in (1,3,4)")))
        .hasSize(3)
        .allSatisfy(m -> assertThat(m.getKind()).isEqualTo("ConfigMap"));
  }

  @Test
  void secondCreate_isAConflict_thatSaysSo(TestInfo test) {
    create(key(test));

    assertThatThrownBy(() -> create(key(test)))
        .isInstanceOfSatisfying(
            ApiStatusException.class,
            e -> {
              assertThat(e.isAlreadyExists()).isTrue();
              assertThat(e).hasMessageContaining("POST").hasMessageContaining("409 AlreadyExists");
            });
  }

  @Test
  void updateOfAnOldVersion_isAConflict(TestInfo test) {
    V1ConfigMap old = create(key(test));
    JsonObject patch = JsonParser.parseString("{\"data\":{\"v\":\"2\"}}").getAsJsonObject();
    maps.patch(key(test), patch);

    assertThatThrownBy(() -> maps.update(old))
        .isInstanceOfSatisfying(ApiStatusException.class, e -> assertThat(e.isConflict()).isTrue());
  }

  @Test
  void jsonPatch_changesWhatItNames(TestInfo test) {
    create(key(test));
    JsonArray operations =
        JsonParser.parseString("[{\"op\":\"replace\",\"path\":\"/data/v\",\"value\":\"9\"}]")
            .getAsJsonArray();

    assertThat(ConfigMaps.value(maps.jsonPatch(key(test), operations))).isEqualTo("9");
  }

  @Test
  void apply_createsAnObjectThatIsNotThere(TestInfo test) {
    Request key = key(test);
    maps.apply(
        new V1ConfigMap()
            .metadata(new V1ObjectMeta().namespace("default").name(key.name()))
            .data(Map.of("v", "1")));

    assertThat(maps.get(key).map(ConfigMaps::value)).contains("1");
  }

  @Test
  void apply_createsAndChanges_andClaimsNoEmptyCollections(TestInfo test) {
    Request key = key(test);
    V1ConfigMap wanted =
        new V1ConfigMap()
            .metadata(new V1ObjectMeta().namespace("default").name(key.name()))
            .data(Map.of("v", "1"));
    maps.apply(wanted);

    V1ConfigMap applied = maps.apply(wanted.data(Map.of("w", "2")));

    assertThat(applied.getData()).containsExactly(Map.entry("w", "2"));
    Unstructured stored =
        k8s.resource(ResourceType.unstructured("", "v1", "configmaps", "ConfigMap", true))
            .get(key)
            .orElseThrow();
    assertThat(stored.at("metadata", "managedFields").orElseThrow().toString())
        .contains("\"f:w\"")
        .doesNotContain("f:binaryData")
        .doesNotContain("f:finalizers")
        .doesNotContain("f:ownerReferences");
  }

  @Test
  void ownClass_keepsItsSpecAndStatusApart(TestInfo test) {
    Request key = key(test);
    Widget created = widgets.create(Widget.of(key.name(), 3));
    created.status = new Widget.Status("Ready");
    created.spec = new Widget.Spec(99, null);

    Widget stored = widgets.updateStatus(created);

    assertThat(stored.status).isEqualTo(new Widget.Status("Ready"));
    assertThat(stored.spec).isEqualTo(new Widget.Spec(3, null));
    assertThat(stored.getMetadata().getGeneration()).isEqualTo(1);
  }

  @Test
  void createOrPatch_createsThenPatches_andSendsNothingWhenNothingChanges(TestInfo test) {
    Request key = key(test);
    V1ConfigMap first =
        maps.createOrPatch(key, V1ConfigMap::new, m -> m.setData(new HashMap<>(Map.of("v", "1"))));
    V1ConfigMap same =
        maps.createOrPatch(key, V1ConfigMap::new, m -> m.setData(new HashMap<>(Map.of("v", "1"))));
    V1ConfigMap changed =
        maps.createOrPatch(key, V1ConfigMap::new, m -> m.setData(new HashMap<>(Map.of("w", "2"))));

    assertThat(ConfigMaps.meta(same).getResourceVersion())
        .isEqualTo(ConfigMaps.meta(first).getResourceVersion());
    assertThat(changed.getData()).containsExactly(Map.entry("w", "2"));
  }

  @Test
  void modify_startsOver_whenSomebodyElseWroteInBetween(TestInfo test) {
    Request key = key(test);
    create(key);
    AtomicInteger tries = new AtomicInteger();

    maps.modify(
        key,
        map -> {
          if (tries.incrementAndGet() == 1) {
            maps.patch(
                key, JsonParser.parseString("{\"data\":{\"other\":\"x\"}}").getAsJsonObject());
          }
          ConfigMaps.data(map).put("mine", "y");
        });

    assertThat(tries).hasValue(2);
    assertThat(ConfigMaps.data(maps.get(key).orElseThrow())).containsKeys("v", "other", "mine");
  }

  @Test
  void modify_leavesFieldsAlone_thatTheClassDoesNotKnow(TestInfo test) {
    Request key = key(test);
    var trees =
        k8s.resource(
            ResourceType.unstructured("test.coxswain.dev", "v1", "widgets", "Widget", true));
    JsonObject json =
        JsonParser.parseString(
                "{\"metadata\":{\"namespace\":\"default\",\"name\":\"%s\"},\"spec\":{\"size\":1,\"future\":{\"a\":[1]}}}"
                    .formatted(key.name()))
            .getAsJsonObject();
    trees.create(Unstructured.of(json));

    widgets.modify(key, widget -> widget.spec = new Widget.Spec(2, List.of("a")));

    Unstructured stored = trees.get(key).orElseThrow();
    assertThat(stored.at("spec", "size").orElseThrow().getAsInt()).isEqualTo(2);
    assertThat(stored.at("spec", "future", "a").orElseThrow().toString()).isEqualTo("[1]");
  }

  @Test
  void modifyStatus_changesNothingElse(TestInfo test) {
    Request key = key(test);
    widgets.create(Widget.of(key.name(), 3));

    widgets.modifyStatus(
        key,
        widget -> {
          widget.status = new Widget.Status("Ready");
          widget.spec = new Widget.Spec(99, null);
        });

    Widget stored = widgets.get(key).orElseThrow();
    assertThat(stored.status).isEqualTo(new Widget.Status("Ready"));
    assertThat(stored.spec).isEqualTo(new Widget.Spec(3, null));
    assertThat(widgets.modifyStatus(Request.of("default", "none"), widget -> {})).isEmpty();
  }

  @Test
  void deleteOfAnotherIncarnation_isAConflict(TestInfo test) {
    create(key(test));

    assertThatThrownBy(() -> maps.delete(key(test), DeleteOptions.BACKGROUND.withUid("other")))
        .isInstanceOfSatisfying(ApiStatusException.class, e -> assertThat(e.isConflict()).isTrue());
    assertThat(maps.get(key(test))).isPresent();
  }

  @Test
  void ownedObject_isDeletedWithItsOwner_andHasOneController(TestInfo test) {
    Request key = key(test);
    Widget owner = widgets.create(Widget.of(key.name(), 1));
    Widget other = widgets.create(Widget.of(key.name() + "-other", 1));
    V1ConfigMap owned =
        new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name(key.name()));
    OwnerReferences.setController(widgets.type(), owner, owned);
    OwnerReferences.setController(widgets.type(), owner, owned);
    assertThat(OwnerReferences.of(owned)).hasSize(1);
    assertThatThrownBy(() -> OwnerReferences.setController(widgets.type(), other, owned))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("controlled by");
    maps.create(owned);

    widgets.delete(key);

    dev.coxswain.testing.Await.until("the owned object to go", () -> maps.get(key).isEmpty());
  }

  @Test
  void ownerInAnotherNamespace_isRefused() {
    Widget owner = Widget.of("o", 1);
    owner.getMetadata().setUid("u");
    V1ConfigMap owned =
        new V1ConfigMap().metadata(new V1ObjectMeta().namespace("elsewhere").name("x"));

    assertThatThrownBy(() -> OwnerReferences.setController(widgets.type(), owner, owned))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("do not cross namespaces");
  }

  @Test
  void retryAfter_reachesTheEngine(TestInfo test) {
    server.faults().failNext(1, 429, Duration.ofSeconds(7), uri -> uri.contains("configmaps"));

    assertThatThrownBy(() -> maps.get(key(test)))
        .isInstanceOfSatisfying(
            RetryAfter.class, e -> assertThat(e.delay()).isEqualTo(Duration.ofSeconds(7)));
  }

  @Test
  void unknownFields_breakNothing(TestInfo test) {
    create(key(test));
    server.faults().addUnknownFields(true);

    assertThat(maps.get(key(test)).map(ConfigMaps::value)).contains("1");
  }

  @Test
  void namespacedObjectWithoutNamespace_isRefusedBeforeItIsSent() {
    assertThatThrownBy(() -> maps.get(Request.of("x")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("namespaced");
    assertThat(Objects.requireNonNull(maps.type()).toString()).isEqualTo("configmaps");
  }

  /** It used to create the other object, again and again. */
  @Test
  void changeOfTheName_isRefused_andNothingIsSent(TestInfo test) {
    Request key = key(test);
    Request other = Request.of("default", key.name() + "-other");

    assertThatThrownBy(() ->
            maps.createOrPatch(
                key, V1ConfigMap::new, map -> ConfigMaps.meta(map).setName(other.name())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("made it default/" + other.name());
    assertThatThrownBy(() ->
            maps.createOrPatch(
                key, V1ConfigMap::new, map -> ConfigMaps.meta(map).setNamespace("kube-system")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(maps.get(key)).isEmpty();
    assertThat(maps.get(other)).isEmpty();
    assertThat(maps.get(Request.of("kube-system", key.name()))).isEmpty();

    maps.createOrPatch(key, V1ConfigMap::new, map -> {});
    assertThatThrownBy(() ->
            maps.createOrPatch(
                key, V1ConfigMap::new, map -> ConfigMaps.meta(map).setName(other.name())))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () -> maps.modify(key, map -> ConfigMaps.meta(map).setNamespace("kube-system")))
        .isInstanceOf(IllegalArgumentException.class);
    maps.delete(key);
  }
}
