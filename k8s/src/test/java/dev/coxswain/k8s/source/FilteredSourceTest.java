// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.k8s.cache.ForeignObjectException;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.fixture.NumberedSlots;
import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.fixture.ScriptedServer;
import dev.coxswain.k8s.fixture.ScriptedServer.Answer;
import dev.coxswain.k8s.informer.KeptSlots;
import dev.coxswain.k8s.selector.LabelSelector;
import dev.coxswain.reconcile.Request;
import dev.coxswain.source.Acquisition;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Secret;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sources of a sharded controller, in a process that keeps some of four slots. */
class FilteredSourceTest {

  private final ScriptedServer server = new ScriptedServer();
  private final Kubernetes k8s = Kubernetes.of(server.client(), KubernetesOptions.DEFAULT);
  private final KeptSlots slots = new KeptSlots(new NumberedSlots(4));
  private final RecordingSink sink = new RecordingSink(true);

  FilteredSourceTest() {
    KubernetesRuntime.of(k8s).keepOnly(slots);
  }

  @AfterEach
  void close() {
    k8s.close();
    server.close();
  }

  private KindSelection<V1ConfigMap> maps() {
    return k8s.kind(V1ConfigMap.class);
  }

  private KindSource<V1ConfigMap> started(KindSelection<V1ConfigMap> selection) {
    return started(selection, sink);
  }

  private static KindSource<V1ConfigMap> started(
      KindSelection<V1ConfigMap> selection, RecordingSink sink) {
    KindSource<V1ConfigMap> source = selection.toSource();
    Await.get(source.start(sink));
    return source;
  }

  private static Request x(int number) {
    return Request.of("a", "x" + number);
  }

  private CacheStatus status() {
    return k8s.caches().getFirst();
  }

  private void put(int... numbers) {
    for (int number : numbers) {
      server.put("a", "x" + number, "" + number);
    }
  }

  private static JsonObject child(String name, String owner) {
    return JsonParser.parseString(
            """
            {"apiVersion":"v1","kind":"ConfigMap",
             "metadata":{"namespace":"a","name":"%s","uid":"u-%s","ownerReferences":[
               {"apiVersion":"v1","kind":"Secret","name":"%s","uid":"u-%s","controller":true}]},
             "data":{"v":"1"}}\
            """
                .formatted(name, name, owner, owner))
        .getAsJsonObject();
  }

  @Test
  void onlyObjectsOfKeptSlots_areHeldAndDelivered() {
    put(1, 2, 5, 6);
    Await.get(slots.keep(List.of(1)));

    started(maps());
    put(9, 10);

    sink.awaitAdded("a/x1 -100 INITIAL_LIST", "a/x5 -100 INITIAL_LIST", "a/x9 0 EVENT");
    assertThat(status().objects()).isEqualTo(3);
    assertThat(status().filtered()).isTrue();
    assertThat(status().fullFor()).isEmpty();
  }

  @Test
  void keep_loadsASlot_asAcquired_withoutDisturbingTheWatch() {
    put(1, 2);
    slots.keep(List.of(1));
    KindSource<V1ConfigMap> source = started(maps());
    int watches = server.watches().size();

    Await.get(slots.keep(List.of(2)));

    assertThat(source.contains(x(2))).isTrue();
    sink.awaitAdded("a/x1 -100 INITIAL_LIST", "a/x2 -100 ACQUIRED");
    assertThat(server.lists()).hasSize(1);
    assertThat(server.watches()).hasSize(watches);
  }

  @Test
  void keepWithoutAFilteredCache_isDoneAtOnce() {
    assertThat(slots.keep(List.of(1, 2)).succeeded()).isTrue();
    assertThat(slots.isKept("a", "x1")).isTrue();
    assertThat(slots.isKept("a", "x3")).isFalse();
    assertThatThrownBy(() -> slots.keep(List.of(4))).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void failedLoad_isRepeated() {
    put(2);
    started(maps());
    server.nextList(Answer.status(500, "InternalError"), Answer.status(429, "TooManyRequests"));

    Future<Void> kept = slots.keep(List.of(2));

    Await.until("the failure", () -> status().lastError().startsWith("slots are not loaded"));
    Await.get(kept);
    assertThat(status().lastError()).isEmpty();

    sink.awaitAdded("a/x2 -100 ACQUIRED");
    assertThat(server.lists()).hasSize(3);
  }

  @Test
  void versionsThatCannotBeCompared_leadToAListOfEverything() {
    put(2);
    started(maps());
    server.nextList(
        new Answer(
            200,
            "{\"kind\":\"ConfigMapList\",\"metadata\":{\"resourceVersion\":\"abc\"},\"items\":[]}",
            Map.of()));

    Await.get(slots.keep(List.of(2)));

    Await.until(() -> "the object: " + sink.added(), () -> sink.added().size() == 1);
    assertThat(status().objects()).isEqualTo(1);
    assertThat(status().lastError()).isEmpty();
    // A second one when the relist has not begun within the pause after the first.
    assertThat(server.lists()).as("loads").hasSizeBetween(1, 2);
  }

  @Test
  void resourceThatIsNotInstalled_holdsUpNoSlot() {
    started(maps());
    server.nextList(Answer.status(404, "NotFound"));

    Await.get(slots.keep(List.of(2)));

    assertThat(server.lists()).hasSize(1);
  }

  @Test
  void resourceThatIsRemoved_holdsUpNoSlot() {
    started(maps());
    // One that is being opened would stay open.
    Await.until("the watch", () -> server.openWatches() == 1);
    server.installed(false);
    Await.until("the waiting", () -> status().phase() == CacheStatus.Phase.WAITING_FOR_API);

    Await.get(slots.keep(List.of(2)));
  }

  @Test
  void slotReleasedBeforeItsLoad_failsTheFuture() {
    started(maps());
    server.hang(true);
    Future<Void> kept = slots.keep(List.of(2));

    slots.release(List.of(2));
    server.hang(false);

    Await.until("the end", kept::isComplete);
    assertThat(kept.failed()).isTrue();
  }

  @Test
  void release_evicts_deliversNoDeletion_andASlotThatComesBackIsLoaded() {
    put(1, 2);
    slots.keep(List.of(1, 2));
    started(maps());
    sink.awaitAdded("a/x1 -100 INITIAL_LIST", "a/x2 -100 INITIAL_LIST");

    slots.release(List.of(2));
    Await.until("the eviction", () -> status().objects() == 1);
    put(2);
    put(1);
    sink.awaitAdded("a/x1 -100 INITIAL_LIST", "a/x2 -100 INITIAL_LIST", "a/x1 0 EVENT");
    Await.get(slots.keep(List.of(2)));

    assertThat(status().objects()).isEqualTo(2);
    sink.awaitAdded(
        "a/x1 -100 INITIAL_LIST", "a/x2 -100 INITIAL_LIST", "a/x1 0 EVENT", "a/x2 -100 ACQUIRED");
  }

  @Test
  void redelivery_hasWhatKeepHasLoaded() {
    put(1, 2, 6);
    slots.keep(List.of(1));
    KindSource<V1ConfigMap> source = started(maps());
    Await.get(slots.keep(List.of(2)));
    Await.until("the load", () -> sink.added().size() == 3);

    source.redeliver(
        Acquisition.of(
            request -> slots.isKept(request.namespace(), request.name()) && !request.equals(x(1))));

    Await.until("the redelivery", () -> sink.added().size() == 5);
    assertThat(sink.added().subList(3, 5))
        .containsExactlyInAnyOrder("a/x2 -100 ACQUIRED", "a/x6 -100 ACQUIRED");
  }

  @Test
  void foreignObject_isAnError_neverAbsent() {
    put(1, 2);
    slots.keep(List.of(1));
    KindSource<V1ConfigMap> source = started(maps());

    assertThat(source.get(x(1))).isPresent();
    assertThat(source.get(x(5))).as("of an own slot").isEmpty();
    assertThatThrownBy(() -> source.get(x(2)))
        .isInstanceOfSatisfying(ForeignObjectException.class, e -> assertThat(e.slot()).hasValue(2))
        .hasMessage(
            "the cache of ConfigMap does not hold a/x2: it is in slot 2, which this replica does not"
                + " hold. Declare the source full(), or read it with resource()");
    assertThatThrownBy(() -> source.contains(x(2))).isInstanceOf(ForeignObjectException.class);
    assertThat(source.holds(x(2))).isFalse();
    assertThat(source.presence(x(2)).detail()).isEmpty();
    assertThat(source.selecting("v=2").orElseThrow().test(x(2))).isFalse();
  }

  @Test
  void lists_areErrors_exceptOfWhatIsOwned() {
    Index<V1ConfigMap> values = new Index<>("value", map -> List.of(ConfigMaps.value(map)));
    put(1, 2, 5);
    slots.keep(List.of(1));
    KindSource<V1ConfigMap> source = started(maps().indexedBy(values));

    for (Runnable read :
        List.<Runnable>of(
            source::list,
            source::keys,
            () -> source.list("a"),
            () -> source.list(LabelSelector.parse("v=1")),
            () -> source.list(values, "1"))) {
      assertThatThrownBy(read::run)
          .isInstanceOf(ForeignObjectException.class)
          .hasMessageContaining("owned()");
    }
    assertThat(source.owned().keys()).containsExactlyInAnyOrder(x(1), x(5));
    assertThat(source.owned().list("a")).hasSize(2);
    assertThat(source.owned().list(LabelSelector.parse("v=5"))).hasSize(1);
    assertThat(source.owned().list(values, "1")).hasSize(1);
  }

  @Test
  void children_areKeptWithTheirOwner_andOneThatMovesAwayLeadsToItsFormerOwner() {
    server.put(child("c2", "s1"));
    server.put(child("c1", "s2"));
    slots.keep(List.of(1));
    KindSource<V1ConfigMap> source = started(maps().handledBy(Handlers.owner(V1Secret.class)));

    assertThat(source.get(Request.of("a", "c2"))).isPresent();
    assertThat(source.get(Request.of("a", "c1"))).as("not of our requests").isEmpty();
    server.put(child("c2", "s2"));

    sink.awaitAdded("a/s1 -100 INITIAL_LIST", "a/s1 0 EVENT");
    assertThat(status().objects()).isZero();
  }

  @Test
  void oneUserThatNeedsAll_makesTheCacheFull_visibly_untilItStops() {
    put(1, 2);
    slots.keep(List.of(1));
    KindSource<V1ConfigMap> source = started(maps());
    assertThat(status().objects()).isEqualTo(1);

    KindSource<V1ConfigMap> other = started(maps(), new RecordingSink());

    assertThat(status().objects()).isEqualTo(2);
    assertThat(status().filtered()).isFalse();
    assertThat(status().fullFor())
        .containsExactly("controller web, source ConfigMap: the controller is not sharded");
    assertThat(other.list()).hasSize(2);
    assertThatThrownBy(() -> source.get(x(2))).isInstanceOf(ForeignObjectException.class);
    assertThat(source.owned().list()).hasSize(1);

    Await.get(other.stop());
    Await.until("the eviction", () -> status().objects() == 1);
    assertThat(status().filtered()).isTrue();
  }

  @Test
  void sources_areFull_byDeclaration_andWithOpaqueMappings_andOpenedCaches() {
    put(1, 2);
    KindSource<V1ConfigMap> full = started(maps().full());
    assertThat(full.list()).hasSize(2);
    assertThat(status().fullFor()).singleElement().asString().endsWith(": declared full()");
    Await.get(full.stop());

    KindSource<V1ConfigMap> opaque = started(maps().handledBy(Handlers.map(map -> List.of(x(1)))));
    assertThat(opaque.get(x(2))).isPresent();
    assertThat(status().fullFor()).singleElement().asString().contains("by metadata alone");
    Await.get(opaque.stop());

    maps().openCache();
    assertThat(status().fullFor()).singleElement().asString().endsWith("opened by openCache()");
  }

  @Test
  void mappingByMetadata_isFiltered() {
    put(1, 2);
    slots.keep(List.of(3));

    started(
        maps()
            .handledBy(
                Handlers.mapByMetadata(metadata ->
                    "x2".equals(metadata.getName()) ? List.of(Request.of("a", "k3")) : List.of())));

    sink.awaitAdded("a/k3 -100 INITIAL_LIST");
    assertThat(status().objects()).isEqualTo(1);
  }

  @Test
  void secondMapping_isLoadedBesidesTheFirst() {
    server.put(child("c2", "s1"));
    server.put(child("c1", "s2"));
    slots.keep(List.of(1));
    started(maps());
    assertThat(status().objects()).isEqualTo(1);

    KindSource<V1ConfigMap> children =
        started(maps().handledBy(Handlers.owner(V1Secret.class)), new RecordingSink(true));

    assertThat(status().objects()).isEqualTo(2);
    assertThat(children.owned().keys()).containsExactly(Request.of("a", "c2"));
  }

  @Test
  void slotsThatAreKeptBeforeTheStart_areInTheFirstList_alsoWithTheResourceInstalledLater() {
    server.installed(false);
    KindSource<V1ConfigMap> source = maps().toSource();
    Future<Void> synced = source.start(sink);
    Await.until("a first list", () -> !server.watches().isEmpty());
    Await.get(slots.keep(List.of(2)));
    put(2, 3);

    server.installed(true);

    Await.get(synced);
    sink.awaitAdded("a/x2 -100 INITIAL_LIST");
  }

  /** What a third of the slots costs: the JSON that is kept, and nothing of the others. */
  @Test
  void thirdOfTheSlots_needsAThirdOfTheMemory() {
    int objects = 3_000;
    KeptSlots twelve = new KeptSlots(new NumberedSlots(12));
    for (int i = 0; i < objects; i++) {
      server.put("a", "x" + (10_000 + i), "value");
    }
    try (Kubernetes all = Kubernetes.of(server.client(), KubernetesOptions.DEFAULT);
        Kubernetes third = Kubernetes.of(server.client(), KubernetesOptions.DEFAULT)) {
      KubernetesRuntime.of(third).keepOnly(twelve);
      Await.get(twelve.keep(List.of(1, 5, 6, 11)));
      Await.get(all.kind(V1ConfigMap.class).toSource().start(new RecordingSink(true)));
      Await.get(third.kind(V1ConfigMap.class).toSource().start(new RecordingSink(true)));

      CacheStatus whole = all.caches().getFirst();
      CacheStatus part = third.caches().getFirst();
      assertThat(whole.objects()).isEqualTo(objects);
      assertThat(part.objects()).isEqualTo(objects / 3);
      assertThat(part.bytes()).isEqualTo(whole.bytes() / 3);
    }
  }
}
