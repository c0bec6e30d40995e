// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.cache.UndecodableObjectException;
import dev.coxswain.k8s.cache.ownwrites.ReadYourWritesLister;
import dev.coxswain.k8s.cache.ownwrites.RecentWrites;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.fixture.RecordingListener;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.k8s.selector.LabelSelector;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.Await;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server newer than the client, and an unreadable object. */
class UndecodableTest extends CacheTestSupport {

  private final RecordingListener listener = new RecordingListener();

  private static JsonObject configMap(String name, String rest) {
    return JsonParser.parseString(
            """
            {"apiVersion":"v1","kind":"ConfigMap",
             "metadata":{"namespace":"a","name":"%s","uid":"u","fromTheFuture":{"deep":[1]}}%s}\
            """
                .formatted(name, rest))
        .getAsJsonObject();
  }

  @Test
  void unknownFieldsAnywhere_neverBreakAnything() {
    server.put(configMap("x", ",\"data\":{\"v\":\"1\"},\"brandNew\":{\"a\":1}"));
    synced(listener);
    server.put(configMap("y", ",\"data\":{\"v\":\"2\"},\"brandNew\":[1,2]"));

    listener.awaitEvents("ADDED a/x=1 INITIAL_LIST", "ADDED a/y=2 EVENT");
  }

  private static final Request BAD = Request.of("a", "bad");

  /** Receives the keys of events and decodes nothing, as a source without predicates. */
  private final List<String> keys = new CopyOnWriteArrayList<>();

  private InformerHandle<V1ConfigMap> syncedByKeys(Index<V1ConfigMap> index) {
    InformerHandle<V1ConfigMap> cache = caches.use(List.of(ALL), Set.of(index));
    Await.get(
        cache.subscribe("test", event -> keys.add(event.kind() + " " + event.key())).synced());
    Await.until("the watch to be open", () -> server.openWatches() >= 1);
    return cache;
  }

  private void awaitKeys(String... expected) {
    Await.until(
        () -> List.of(expected) + " but received " + keys,
        () -> keys.size() == expected.length && keys.containsAll(List.of(expected)));
  }

  private static Index<V1ConfigMap> byValue() {
    return new Index<>("value", map -> List.of(ConfigMaps.value(map)));
  }

  @Test
  void undecodableObjectInAList_isDelivered_andAReadOfItSaysSo() {
    server.put("a", "before", "1");
    server.put(configMap("bad", ",\"data\":[\"not\",\"a\",\"map\"]"));
    server.put("a", "later", "1");

    InformerHandle<V1ConfigMap> cache = syncedByKeys(byValue());

    awaitKeys("ADDED a/before", "ADDED a/bad", "ADDED a/later");
    assertThat(cache.contains(BAD)).isTrue();
    assertThatThrownBy(() -> cache.get(BAD))
        .isInstanceOfSatisfying(
            UndecodableObjectException.class, e -> assertThat(e.key()).isEqualTo(BAD))
        .hasMessageStartingWith("a/bad exists, but it does not fit V1ConfigMap: ")
        .hasMessageContaining("$.data")
        .hasMessageNotContaining("\n");
  }

  /** A list without it would be incomplete, without an error. */
  @Test
  void undecodableObject_failsListsAndIndexes_andReadsAreCounted() {
    Index<V1ConfigMap> index = byValue();
    server.put("a", "x", "1");
    server.put("b", "y", "1");
    server.put(configMap("bad", ",\"data\":7"));

    InformerHandle<V1ConfigMap> cache = syncedByKeys(index);
    Await.until("the index", () -> cache.status().indexFailures() == 1);

    assertThatThrownBy(cache::list).isInstanceOf(UndecodableObjectException.class);
    assertThatThrownBy(() -> cache.list("a")).isInstanceOf(UndecodableObjectException.class);
    assertThatThrownBy(() -> cache.list(index, "1")).isInstanceOf(Index.FailedException.class);
    assertThat(cache.list("b")).hasSize(1);
    assertThat(cache.keys()).hasSize(3);
    assertThat(cache.status().undecodable()).isEqualTo(2);
  }

  /** Others do not decode it. */
  @Test
  void undecodableObject_failsOnlyTheReadsThatWouldReturnIt() {
    Index<V1ConfigMap> owners = Index.byOwnerUid();
    server.put("a", "x", "1");
    JsonObject bad = configMap("bad", ",\"data\":7");
    bad.getAsJsonObject("metadata")
        .add(
            "ownerReferences",
            JsonParser.parseString(
                "[{\"apiVersion\":\"v1\",\"kind\":\"K\",\"name\":\"k\",\"uid\":\"own\"},{\"kind\":\"K\"}]"));
    bad.getAsJsonObject("metadata").add("labels", JsonParser.parseString("{\"team\":\"b\"}"));
    server.put(bad);

    InformerHandle<V1ConfigMap> cache = syncedByKeys(owners);

    assertThat(cache.list(owners, "another")).isEmpty();
    assertThat(cache.list(owners, "")).as("a reference without uid").isEmpty();
    assertThat(cache.list(LabelSelector.parse("team=a"))).isEmpty();
    assertThatThrownBy(() -> cache.list(owners, "own"))
        .isInstanceOf(UndecodableObjectException.class);
    assertThatThrownBy(() -> cache.list(LabelSelector.parse("team=b")))
        .isInstanceOf(UndecodableObjectException.class);
    assertThat(cache.status().indexFailures()).isZero();
  }

  /** Legal for a server, and deeper than the decoder reads. */
  @Test
  void objectThatIsNestedTooDeeply_isSelectedByItsLabels_asAnyOther() {
    JsonObject bad = new JsonObject();
    JsonArray deep = new JsonArray();
    for (int i = 0; i < 300; i++) {
      JsonArray outer = new JsonArray();
      outer.add(deep);
      deep = outer;
    }
    bad.add("before", deep);
    configMap("bad", "").entrySet().forEach(member -> bad.add(member.getKey(), member.getValue()));
    bad.getAsJsonObject("metadata").add("labels", JsonParser.parseString("{\"team\":\"b\"}"));
    server.put("a", "x", "1");
    server.put(bad);

    InformerHandle<V1ConfigMap> cache = syncedByKeys(Index.byOwnerUid());

    assertThat(cache.list(LabelSelector.parse("team=a"))).isEmpty();
    assertThatThrownBy(() -> cache.list(LabelSelector.parse("team=b")))
        .isInstanceOf(UndecodableObjectException.class);
  }

  @Test
  void objectThatBecomesUndecodable_isNotReadAsItWas_untilItFitsAgain() {
    Index<V1ConfigMap> index = byValue();
    server.put(configMap("bad", ",\"data\":{\"v\":\"1\"}"));
    InformerHandle<V1ConfigMap> cache = syncedByKeys(index);

    server.put(configMap("bad", ",\"data\":7"));
    awaitKeys("ADDED a/bad", "UPDATED a/bad");
    assertThatThrownBy(() -> cache.get(BAD)).isInstanceOf(UndecodableObjectException.class);
    assertThatThrownBy(() -> cache.list(index, "1")).isInstanceOf(Index.FailedException.class);

    server.put(configMap("bad", ",\"data\":{\"v\":\"2\"}"));
    awaitKeys("ADDED a/bad", "UPDATED a/bad", "UPDATED a/bad");
    assertThat(cache.get(BAD).orElseThrow().getData()).containsEntry("v", "2");
    assertThat(cache.list(index, "2")).hasSize(1);
    assertThat(server.lists()).hasSize(1);
  }

  @Test
  void undecodableObjectThatIsDeleted_isDelivered() {
    server.put(configMap("bad", ",\"data\":7"));
    InformerHandle<V1ConfigMap> cache = syncedByKeys(byValue());

    server.delete("a", "bad");

    awaitKeys("ADDED a/bad", "DELETED a/bad");
    assertThat(cache.get(BAD)).isEmpty();
  }

  /** Its attempt may have been cancelled by it. */
  @Test
  void readThatFails_leavesTheInterruptOfItsThread() {
    server.put(configMap("bad", ",\"data\":7"));
    InformerHandle<V1ConfigMap> cache = syncedByKeys(byValue());
    for (ThrowingCallable read : List.<ThrowingCallable>of(cache::list, () -> cache.get(BAD))) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(read).isInstanceOf(UndecodableObjectException.class);
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void ownWriteThatDoesNotFit_isNotRead() {
    server.put("a", "x", "1");
    InformerHandle<V1ConfigMap> cache = synced(listener);
    RecentWrites writes = new RecentWrites(caches.writers());
    try (ReadYourWritesLister<V1ConfigMap> lister = writes.over(cache)) {
      JsonObject bad = configMap("bad", ",\"data\":7");
      bad.getAsJsonObject("metadata").addProperty("resourceVersion", "999");
      writes.written(ResourceType.of(V1ConfigMap.class), BAD, bad);

      assertThat(lister.list()).hasSize(1);
      assertThat(lister.get(BAD)).isEmpty();
    }
  }

  /** Its constructor throws an OutOfMemoryError while {@link #lacking} is true. */
  static final class Heavy implements KubernetesObject {
    static volatile boolean lacking;

    Heavy() {
      if (lacking) {
        throw new OutOfMemoryError("on purpose");
      }
    }

    @Override
    public V1ObjectMeta getMetadata() {
      return new V1ObjectMeta();
    }

    @Override
    public String getApiVersion() {
      return "v1";
    }

    @Override
    public String getKind() {
      return "ConfigMap";
    }
  }

  @Test
  void readThatFindsNoMemory_doesNotBlameTheObject() {
    server.put("a", "x", "1");
    CacheKey<Heavy> key =
        new CacheKey<>(
            new ResourceType<>("", "v1", "configmaps", "ConfigMap", true, Heavy.class), "", "", "");
    InformerHandle<Heavy> cache = caches.use(key);
    Await.get(cache.subscribe("test", event -> {}).synced());
    Heavy.lacking = true;
    try {
      assertThatThrownBy(() -> cache.get(Request.of("a", "x")))
          .isNotInstanceOf(UndecodableObjectException.class)
          .hasRootCauseInstanceOf(OutOfMemoryError.class);
    } finally {
      Heavy.lacking = false;
    }
    assertThat(cache.status().undecodable()).isZero();
  }

  private final AtomicInteger lacking = new AtomicInteger();

  /** Finds no memory for the next objects named x, as many as {@link #lacking}. */
  private CacheKey<V1ConfigMap> shortOfMemory() {
    return ALL.transformedBy(json -> {
      boolean isX = json.getAsJsonObject("metadata").get("name").getAsString().equals("x");
      if (isX && lacking.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        throw new OutOfMemoryError("on purpose");
      }
      return json;
    });
  }

  /**
   * The object was taken for one that does not fit, and its old state stayed until the next list.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void changeThatFindsNoMemory_isListed_andTheObjectIsNotTakenForUndecodable(boolean streamed) {
    caches.close();
    caches = caches(streamed ? KubernetesOptions.DEFAULT : PAGED);
    server.put("a", "x", "1");
    InformerHandle<V1ConfigMap> cache = caches.use(shortOfMemory());
    Await.get(cache.subscribe("test", listener).synced());
    Await.until("the watch to be open", () -> server.openWatches() >= 1);
    lacking.set(2);

    server.put("a", "x", "2");

    listener.awaitEvents("ADDED a/x=1 INITIAL_LIST", "UPDATED a/x=1>2 EVENT");
    assertThat(lacking).as("the list found no memory either").hasValue(0);
    assertThat(cache.status().undecodable()).isZero();
    Await.until("the end of the problem", () -> cache.status().problem().isEmpty());
  }

  @Test
  void deletionThatFindsNoMemory_isFoundByTheList() {
    server.put("a", "x", "1");
    InformerHandle<V1ConfigMap> cache = caches.use(shortOfMemory());
    Await.get(cache.subscribe("test", listener).synced());
    Await.until("the watch to be open", () -> server.openWatches() >= 1);
    lacking.set(1);

    server.delete("a", "x");

    listener.awaitEvents("ADDED a/x=1 INITIAL_LIST", "DELETED a/x=1 EVENT");
    assertThat(cache.keys()).isEmpty();
  }

  /** Between the store and the listeners; the list has the same version and found no difference. */
  @Test
  void changeThatIsStoredButNotPublished_reachesIndexesAndListeners_withTheNextOne() {
    AtomicBoolean lacks = new AtomicBoolean();
    Index<V1ConfigMap> index =
        new Index<>(
            "value",
            map -> {
              if (lacks.getAndSet(false)) {
                throw new OutOfMemoryError("on purpose");
              }
              return List.of(ConfigMaps.value(map));
            });
    server.put("a", "x", "1");
    InformerHandle<V1ConfigMap> cache = caches.use(List.of(ALL), Set.of(index));
    Await.get(cache.subscribe("test", listener).synced());
    Await.until("the index", () -> cache.list(index, "1").size() == 1);
    Await.until("the watch to be open", () -> server.openWatches() >= 1);
    lacks.set(true);

    server.put("a", "x", "2");

    listener.awaitEvents("ADDED a/x=1 INITIAL_LIST", "UPDATED a/x=1>2 EVENT");
    assertThat(cache.list(index, "2")).hasSize(1);
    assertThat(cache.list(index, "1")).isEmpty();
    assertThat(cache.status().indexFailures()).isZero();
  }
}
