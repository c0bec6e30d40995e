// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.Entry;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.cache.ObjectTransform;
import dev.coxswain.k8s.cache.Subscription;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.fixture.RecordingListener;
import dev.coxswain.k8s.internal.json.ReceivedObject;
import dev.coxswain.k8s.internal.slots.MappedObject;
import dev.coxswain.k8s.resource.PartialObjectMetadata;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What a cache keeps and how it is found: metadata only, transforms, namespaces, indexes. */
class ViewsTest extends CacheTestSupport {

  private static final Index<V1ConfigMap> BY_VALUE =
      new Index<>("value", map -> List.of(ConfigMaps.value(map)));

  private final RecordingListener listener = new RecordingListener();

  private static JsonObject owned(String name, String owner) {
    return JsonParser.parseString(
            """
            {"metadata":{"namespace":"a","name":"%s","uid":"u-%s","ownerReferences":[
              {"apiVersion":"v1","kind":"Pod","name":"p","uid":"%s"}]},"data":{"v":"1"}}\
            """
                .formatted(name, name, owner))
        .getAsJsonObject();
  }

  @Test
  void metadataOnly_isAskedOfTheServer_andCutDownWhenTheServerSendsMore() {
    server.put("a", "x", "1");
    InformerHandle<PartialObjectMetadata> cache =
        caches.use(new CacheKey<>(ALL.type().metadataOnly(), "", "", ""));
    Await.until("the object", () -> cache.contains(Request.of("a", "x")));
    Await.until("the watch", () -> server.openWatches() == 1);

    PartialObjectMetadata object = cache.get(Request.of("a", "x")).orElseThrow();
    assertThat(object.getKind()).isEqualTo("ConfigMap");
    assertThat(object.getApiVersion()).isEqualTo("v1");
    assertThat(object.getMetadata().getLabels()).containsEntry("v", "1");
    assertThat(server.accepted())
        .containsExactly(
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
    // {"metadata":{...},"apiVersion":"v1","kind":"ConfigMap"} and no data
    assertThat(cache.status().bytes()).isLessThan(160);
  }

  @Test
  void transform_changesWhatIsKept_andIsPartOfTheKey() {
    server.put("a", "x", "1");
    var slim = ALL.transformedBy(ObjectTransform.without("metadata", "labels"));
    InformerHandle<V1ConfigMap> cache = caches.use(slim);
    Await.until("the object", () -> cache.contains(Request.of("a", "x")));

    V1ConfigMap object = cache.get(Request.of("a", "x")).orElseThrow();

    assertThat(ConfigMaps.meta(object).getLabels()).isNullOrEmpty();
    assertThat(ConfigMaps.value(object)).isEqualTo("1");
    caches.use(ALL.transformedBy(ObjectTransform.without("metadata", "labels")));
    assertThat(caches.statuses()).hasSize(1);
    caches.use(ALL);
    assertThat(caches.statuses()).hasSize(2);
  }

  @Test
  void transformThatThrows_skipsTheObject_andStopsNothing() {
    server.put("a", "bad", "1");
    server.put("a", "x", "2");
    InformerHandle<V1ConfigMap> cache =
        caches.use(
            ALL.transformedBy(object -> {
              if (object.toString().contains("bad")) {
                throw new IllegalStateException("on purpose");
              }
              return object;
            }));
    Await.get(cache.subscribe("test", listener).synced());

    listener.awaitEvents("ADDED a/x=2 INITIAL_LIST");
    assertThat(cache.status().undecodable()).isEqualTo(1);
  }

  @Test
  void severalNamespaces_areOneListenerAndOneReader() {
    server.put("a", "x", "1");
    server.put("b", "y", "2");
    InformerHandle<V1ConfigMap> cache =
        caches.use(List.of(ALL.inNamespace("a"), ALL.inNamespace("b")), Set.of());
    Subscription subscription = cache.subscribe("test", listener);
    Await.get(subscription.synced());
    Await.until("both watches", () -> server.openWatches() == 2);

    assertThat(listener.events())
        .containsExactlyInAnyOrder("ADDED a/x=1 INITIAL_LIST", "ADDED b/y=2 INITIAL_LIST");
    assertThat(cache.keys()).containsExactlyInAnyOrder(Request.of("a", "x"), Request.of("b", "y"));
    assertThat(cache.list("b")).hasSize(1);
    assertThat(cache.get(Request.of("b", "y"))).isPresent();
    assertThat(cache.statuses()).hasSize(2);
    server.put("b", "z", "3");
    Await.until("the change", () -> listener.events().contains("ADDED b/z=3 EVENT"));

    Await.get(subscription.cancel());
    cache.close();
    assertThat(caches.statuses()).isEmpty();
  }

  @Test
  void oneNamespaceThatIsNotAnswered_keepsTheOthersFromBeingCalledSynced() {
    InformerHandle<V1ConfigMap> first = caches.use(ALL.inNamespace("a"));
    Await.until("a", first::isSynced);
    server.installed(false);

    InformerHandle<V1ConfigMap> both =
        caches.use(List.of(ALL.inNamespace("a"), ALL.inNamespace("b")), Set.of());
    var synced = both.subscribe("test", listener).synced();
    Await.until("the wait", () -> both.statuses().get(1).lists() == 0 && !both.isSynced());
    assertThat(synced.isComplete()).isFalse();

    server.installed(true);
    Await.get(synced);
  }

  @Test
  void index_findsByValueAndByOwner_andFollowsChanges() {
    Index<V1ConfigMap> owners = Index.byOwnerUid();
    server.put("a", "x", "1");
    server.put(owned("y", "o-1"));
    InformerHandle<V1ConfigMap> cache =
        caches.use(List.of(ALL), Set.of(BY_VALUE, Index.byOwnerUid()));
    Await.get(cache.subscribe("test", listener).synced());

    assertThat(names(cache.list(BY_VALUE, "1"))).containsExactlyInAnyOrder("x", "y");
    assertThat(names(cache.list(owners, "o-1"))).containsExactly("y");

    server.put("a", "x", "2");
    server.delete("a", "y");
    // An index contains at least every change that a listener has received.
    Await.until(
        "the delete",
        () -> listener.events().stream().anyMatch(event -> event.startsWith("DELETED a/y")));
    assertThat(cache.list(BY_VALUE, "1")).isEmpty();
    assertThat(names(cache.list(BY_VALUE, "2"))).containsExactly("x");
    assertThat(cache.list(owners, "o-1")).isEmpty();
  }

  @Test
  void indexThatIsAddedToAFullCache_isRightFromTheStart_andGoesWithItsUser() {
    for (int i = 0; i < 50; i++) {
      server.put("a", "x" + i, "" + i % 5);
    }
    synced(listener);

    InformerHandle<V1ConfigMap> late = caches.use(List.of(ALL), Set.of(BY_VALUE));
    assertThat(late.list(BY_VALUE, "3")).hasSize(10);
    late.close();

    InformerHandle<V1ConfigMap> again = caches.use(List.of(ALL), Set.of(BY_VALUE));
    assertThat(again.list(BY_VALUE, "3")).hasSize(10);
  }

  @Test
  void indexThatThrows_failsItsQueries_insteadOfHidingAnObject() {
    Index<V1ConfigMap> picky =
        new Index<>(
            "picky",
            map -> {
              if (ConfigMaps.value(map).equals("1")) {
                throw new IllegalStateException("on purpose");
              }
              return List.of("all");
            });
    server.put("a", "x", "1");
    server.put("a", "y", "2");
    InformerHandle<V1ConfigMap> cache = caches.use(List.of(ALL), Set.of(picky));
    Await.get(cache.subscribe("test", listener).synced());

    // While the index is being made, readers call it themselves, and fail in the same way.
    assertThatThrownBy(() -> cache.list(picky, "all"))
        .isInstanceOf(Index.FailedException.class)
        .hasMessageContaining("on purpose");
    assertThat(names(cache.list())).containsExactlyInAnyOrder("x", "y");
  }

  @Test
  void indexThatNobodyAskedFor_isRefusedInPlainWords() {
    InformerHandle<V1ConfigMap> cache = synced(listener);

    assertThatThrownBy(() -> cache.list(BY_VALUE, "1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"value\"");
  }

  /** Each object moves between two values, or changes under the same one. */
  @Test
  void readersOfAnIndex_neverSeeAWrongObject_norMissOneThatStays() throws InterruptedException {
    long seed = 20_261_121;
    SplittableRandom random = new SplittableRandom(seed);
    Informer<V1ConfigMap> cache = new Informer<>(ALL, dev.coxswain.spi.Clock.system(), null, null);
    cache.addIndex(BY_VALUE);
    Request stays = Request.of("a", "stays");
    Request moves = Request.of("a", "moves");
    cache.updates().put(MappedObject.unmapped(stays), entry("stays", "1", 1));
    Thread writer =
        Thread.ofVirtual()
            .start(() -> {
              for (int version = 2; version < 2_000; version++) {
                cache.updates().put(MappedObject.unmapped(stays), entry("stays", "1", version));
                cache
                    .updates()
                    .put(
                        MappedObject.unmapped(moves),
                        entry("moves", "" + random.nextInt(2), version));
              }
            });

    while (writer.isAlive()) {
      for (String value : List.of("0", "1")) {
        var found =
            java.util.Objects.requireNonNull(cache.find(BY_VALUE, value)).values().stream()
                .map(entry -> entry.decode(stays, V1ConfigMap.class))
                .toList();
        assertThat(found).as("seed %s", seed).allMatch(m -> ConfigMaps.value(m).equals(value));
        assertThat(names(found).contains("stays")).isEqualTo(value.equals("1"));
      }
    }
    writer.join();
  }

  private static Entry entry(String name, String value, int version) {
    return Entry.of(
            ReceivedObject.of(
                "{\"metadata\":{\"namespace\":\"a\",\"name\":\"%s\",\"uid\":\"u-%s\",\"resourceVersion\":\"%d\"},\"data\":{\"v\":\"%s\"}}"
                    .formatted(name, name, version, value)
                    .getBytes(StandardCharsets.UTF_8)),
            ALL)
        .entry();
  }

  private static List<String> names(List<V1ConfigMap> maps) {
    return maps.stream()
        .map(map -> java.util.Objects.requireNonNull(ConfigMaps.meta(map).getName()))
        .toList();
  }
}
