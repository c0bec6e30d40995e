// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static dev.coxswain.k8s.integration.NamespacedReplica.ALL;
import static dev.coxswain.k8s.integration.NamespacedReplica.NAMES;
import static dev.coxswain.k8s.integration.NamespacedReplica.OBJECTS;
import static dev.coxswain.k8s.integration.NamespacedReplica.namespaces;
import static dev.coxswain.k8s.integration.NamespacedReplica.value;
import static dev.coxswain.k8s.integration.NamespacedReplica.watched;
import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.fault.Fault;
import dev.coxswain.apiserver.fault.FaultFilter;
import dev.coxswain.k8s.cache.CacheStatus.Selection;
import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What watches select on the server with slots by namespace, and that nothing is missed by it. */
class SelectedWatchTest {

  private final NamespacedReplica with = new NamespacedReplica(true);

  @AfterEach
  void close() {
    with.close();
  }

  /** Waits until the watch of a source selects so many namespaces, or everything for 0. */
  private void awaitSelected(KindSource<V1ConfigMap> source, int namespaces) {
    Await.until(
        () -> namespaces + " selected namespaces, not " + watched(source),
        () -> watched(source).namespaces() == namespaces);
  }

  /** The watches of a resource are behind from now on. */
  private void silence(String resource) {
    with.server.faults().inject(Fault.silenceWatches().on(FaultFilter.resources(resource)));
  }

  private void speak(String resource) {
    with.server.faults().reset();
    with.server.faults().inject(Fault.closeWatches().on(FaultFilter.resources(resource)));
  }

  /** Changes an object of a kept slot and waits until the cache has it: all earlier events were received. */
  private void passes(KindSource<V1ConfigMap> source) {
    String value = Long.toString(System.nanoTime());
    with.put("team-1", "x0", value);
    Await.until("the event", () -> value(source, "team-1", "x0").equals(value));
  }

  @Test
  void aWatch_receivesTheNamespacesOfTheKeptSlots_andNothingElse() {
    KindSource<V1ConfigMap> source = with.start(1);
    awaitSelected(source, 2);
    long before = watched(source).events();
    with.put("team-0", "x0", "2");
    with.put("team-2", "x0", "2");
    with.put("team-5", "x0", "2");
    passes(source);
    assertThat(value(source, "team-5", "x0")).isEqualTo("2");
    assertThat(watched(source).events() - before).isEqualTo(2);
    assertThat(watched(source).dropped()).isZero();
    assertThat(watched(source).selection()).isEqualTo(Selection.SERVER);
    assertThat(watched(source).ranges()).isEqualTo(2);
  }

  @Test
  void aServerThatIgnoresTheSelector_sendsEverything_whichIsDroppedAndShown() {
    with.selector = _ -> "";
    KindSource<V1ConfigMap> source = with.start(1);
    awaitSelected(source, 2);
    with.put("team-0", "x0", "2");
    passes(source);
    assertThat(namespaces(source)).containsExactly("team-1", "team-5");
    assertThat(watched(source).dropped()).isPositive();
    assertThat(watched(source).droppedBytes()).isPositive();
    assertThat(watched(source).selection()).isEqualTo(Selection.IGNORED);
  }

  @Test
  void aServerThatRefusesTheSelector_isWatchedWithout() {
    with.refusal = "invalid shard selector: unsupported field path";
    KindSource<V1ConfigMap> source = with.start(1);
    Await.until("the refusal", () -> watched(source).selection() == Selection.REFUSED);
    with.put("team-0", "x0", "2");
    passes(source);
    assertThat(namespaces(source)).containsExactly("team-1", "team-5");
    assertThat(source.statuses().getFirst().lastError()).isEmpty();
    assertThat(with.selectors).last().isEqualTo("");
  }

  /** Upgrades and downgrades of the server, and proxies that do not pass the parameter on. */
  @Test
  void aServerThatChangesItsMindAtEachReconnect_losesNothing() {
    KindSource<V1ConfigMap> source = with.start(1);
    awaitSelected(source, 2);
    for (int i = 0; i < 12; i++) {
      with.selector = i % 2 == 0 ? _ -> "" : one -> one;
      with.refusal = i == 7 ? "invalid shard selector: why not" : null;
      with.put("team-5", "x1", "during " + i);
      with.server.faults().closeWatches();
      with.put("team-5", "x2", "after " + i);
      String last = "after " + i;
      Await.until(
          "what happened between two watches",
          () ->
              value(source, "team-5", "x1").equals("during" + last.substring(5))
                  && value(source, "team-5", "x2").equals(last));
    }
    assertThat(namespaces(source)).containsExactly("team-1", "team-5");
  }

  /** The list comes when no watch is open without the slot, or changes between the two were lost. */
  @Test
  void aSlotThatIsAcquired_isSelectedBeforeItIsListed() {
    KindSource<V1ConfigMap> source = with.start(1);
    awaitSelected(source, 2);
    with.before =
        path -> {
          if (path.equals(NAMES + "/team-6/configmaps")) {
            with.before = _ -> {};
            with.put("team-2", "x0", "after its list");
            with.put("team-2", "new", "after its list");
            with.delete("team-2", "x1");
          }
        };
    Await.get(with.slots.keep(List.of(2)));
    Await.until("the changes", () -> value(source, "team-2", "x0").equals("after its list"));
    Await.until("the new object", () -> value(source, "team-2", "new").equals("after its list"));
    Await.until("the deletion", () -> value(source, "team-2", "x1").isEmpty());
    assertThat(source.statuses().getFirst().lists()).isEqualTo(2);
  }

  /** Its first objects are older than the moment in which the replica learns of it. */
  @Test
  void aNewNamespaceOfAKeptSlot_isListed_andFollowed() {
    KindSource<V1ConfigMap> source = with.start(1);
    awaitSelected(source, 2);
    silence("namespaces");
    with.namespace("team-9");
    with.put("team-9", "x", "1");
    with.namespace("team-12"); // of a foreign slot
    with.put("team-12", "x", "1");
    passes(source);
    assertThat(namespaces(source)).doesNotContain("team-9");
    speak("namespaces");
    Await.until("its object", () -> value(source, "team-9", "x").equals("1"));
    with.put("team-9", "x", "2");
    with.put("team-9", "y", "1");
    Await.until("its change", () -> value(source, "team-9", "x").equals("2"));
    Await.until("its other object", () -> value(source, "team-9", "y").equals("1"));
    assertThat(namespaces(source)).containsExactly("team-1", "team-5", "team-9");
    awaitSelected(source, 3);
  }

  /** The informer of namespaces may be ahead of the watch: the deletions of its objects are still to come. */
  @Test
  void aNamespaceThatIsGone_staysSelectedUntilItsObjectsAreGone() {
    KindSource<V1ConfigMap> source = with.start(1);
    awaitSelected(source, 2);
    silence("configmaps");
    with.user.resource(V1Namespace.class).delete(Request.of("team-5"));
    Await.until(
        "the end of the namespace",
        () -> with.user.resource(V1Namespace.class).get(Request.of("team-5")).isEmpty());
    speak("configmaps");
    Await.until("its objects to go", () -> namespaces(source).equals(Set.of("team-1")));
  }

  @Test
  void aNamespaceThatIsMadeAgain_isListedAgain() {
    KindSource<V1ConfigMap> source = with.start(1);
    awaitSelected(source, 2);
    with.user.resource(V1Namespace.class).delete(Request.of("team-5"));
    Await.until("its objects to go", () -> namespaces(source).equals(Set.of("team-1")));
    with.server.faults().closeWatches();
    awaitSelected(source, 1);
    with.namespace("team-5");
    with.put("team-5", "again", "1");
    Await.until("its object", () -> value(source, "team-5", "again").equals("1"));
  }

  @Test
  void slotsThatAreReleased_areSelectedNoMore_andAgainWhenTheyComeBack() {
    KindSource<V1ConfigMap> source = with.start(1, 2);
    awaitSelected(source, 4);
    with.slots.release(List.of(2));
    awaitSelected(source, 2);
    with.put("team-2", "x0", "while it was foreign");
    passes(source);
    Await.get(with.slots.keep(List.of(2)));
    assertThat(value(source, "team-2", "x0")).isEqualTo("while it was foreign");
    assertThat(watched(source).namespaces()).isEqualTo(4);
  }

  /** Between the two the watch still selects the slot, but not a namespace that came meanwhile. */
  @Test
  void aSlotThatComesBackAtOnce_hasTheNamespacesThatCameMeanwhile() {
    KindSource<V1ConfigMap> source = with.start(1, 2);
    awaitSelected(source, 4);
    with.slots.release(List.of(2));
    with.namespace("team-10");
    with.namespace("team-9"); // when that is there, the other one was reported, too
    with.put("team-9", "x", "1");
    Await.until("what was made later", () -> value(source, "team-9", "x").equals("1"));
    Await.get(with.slots.keep(List.of(2)));
    with.put("team-10", "x", "1");
    Await.until("its object", () -> value(source, "team-10", "x").equals("1"));
  }

  @Test
  void aUserThatNeedsEverything_endsTheSelection_andItsEndBringsItBack() {
    KindSource<V1ConfigMap> source = with.start(1);
    awaitSelected(source, 2);
    KindSource<V1ConfigMap> full =
        with.replica.kind(V1ConfigMap.class).handledBy(Handlers.object()).full().toSource();
    Await.get(full.start(new RecordingSink(true)));
    Await.until("everything", () -> full.list().size() == 8 * OBJECTS);
    with.put("team-0", "x0", "2");
    Await.until(
        "a change in a foreign slot",
        () ->
            full.get(Request.of("team-0", "x0"))
                .map(one -> one.getData().get("v"))
                .orElse("")
                .equals("2"));
    assertThat(watched(source).selection()).isEqualTo(Selection.ALL);
    Await.get(full.stop());
    awaitSelected(source, 2);
    passes(source);
  }

  @Test
  void nearlyAllSlots_areNotSelected() {
    KindSource<V1ConfigMap> source = with.start(0, 1, 2, 3);
    passes(source);
    assertThat(with.selectors).containsOnly("");
    assertThat(watched(source).selection()).isEqualTo(Selection.ALL);
  }

  @Test
  void aMappingThatMayLeaveItsNamespace_isNotSelected() {
    KindSource<V1ConfigMap> source =
        with.start(Handlers.mapByMetadata(metadata -> List.of(Request.of("team-1", "x"))), 1);
    Await.until("the watch", () -> with.requests.contains("STREAM " + ALL));
    with.put("team-0", "other", "1");
    Await.until("it", () -> namespaces(source).contains("team-0"));
    assertThat(with.selectors).containsOnly("");
    assertThat(watched(source).selection()).isEqualTo(Selection.HERE);
  }

  @Test
  void withoutTheRightToWatchNamespaces_everythingIsReceived() {
    with.server.faults().inject(Fault.fail(403).on(FaultFilter.resources("namespaces")));
    KindSource<V1ConfigMap> source = with.start(1);
    passes(source);
    assertThat(namespaces(source)).containsExactly("team-1", "team-5");
    assertThat(watched(source).selection()).isEqualTo(Selection.NAMESPACES_UNKNOWN);
  }

  /** The right to list namespaces is not the right to watch them: new ones would come with the next list only. */
  @Test
  void withTheRightToListNamespacesOnly_everythingIsReceived() {
    with.forbidden = path -> path.equals(NAMES);
    KindSource<V1ConfigMap> source = with.start(1);
    passes(source);
    Await.until("a list of namespaces", () -> with.requests.contains("LIST " + NAMES));
    assertThat(namespaces(source)).containsExactly("team-1", "team-5");
    assertThat(watched(source).selection()).isEqualTo(Selection.NAMESPACES_UNKNOWN);
    assertThat(with.selectors).containsOnly("");
  }

  /** The open watch is replaced: nothing else would, for minutes. */
  @Test
  void theRightToWatchNamespacesThatComesLater_beginsTheSelection() {
    with.forbidden = path -> path.equals(NAMES);
    KindSource<V1ConfigMap> source = with.start(1);
    passes(source);
    Await.until(
        "a watch of namespaces that is refused after their list",
        () -> with.requests.stream().filter(("LIST " + NAMES)::equals).count() > 1);
    assertThat(watched(source).selection()).isEqualTo(Selection.NAMESPACES_UNKNOWN);
    with.forbidden = _ -> false;
    awaitSelected(source, 2);
  }

  /** A proxy may find the request too long, or suspicious. */
  @ParameterizedTest
  @ValueSource(ints = {400, 403, 414, 431})
  void aProxyThatRefusesTheRequest_isWatchedWithoutTheSelector(int status) {
    with.refusal = "no";
    with.refusalStatus = status;
    KindSource<V1ConfigMap> source = with.start(1);
    Await.until("the refusal", () -> watched(source).selection() == Selection.REFUSED);
    passes(source);
    assertThat(source.statuses().getFirst().lastError()).isEmpty();
  }

  /** It comes and goes while its list is prepared. */
  @Test
  void aNamespaceThatIsGoneBeforeItIsListed_reopensNoWatchForEver() {
    KindSource<V1ConfigMap> source = with.start(1);
    awaitSelected(source, 2);
    for (int i = 0; i < 5; i++) {
      with.namespace("team-9");
      with.user.resource(V1Namespace.class).delete(Request.of("team-9"));
    }
    passes(source);
    awaitSelected(source, 2);
    assertThat(with.selectors).hasSizeLessThan(20);
    Await.until("a known position", () -> !source.position().isEmpty());
  }

  /** Its object comes later by the list of its namespace, but the cache has received later versions by then. */
  @Test
  void anOwnWriteIntoANewNamespace_isReadUntilTheCacheHasIt() {
    KindSource<V1ConfigMap> source =
        with.replica.kind(V1ConfigMap.class).readYourWrites(with.replica.ownWrites()).toSource();
    with.started.add(source);
    Await.get(with.slots.keep(List.of(1)));
    Await.get(source.start(new RecordingSink(true)));
    awaitSelected(source, 2);
    silence("namespaces");
    with.namespace("team-9");
    with.replica
        .resource(V1ConfigMap.class)
        .createOrPatch(
            Request.of("team-9", "x"), V1ConfigMap::new, map -> map.putDataItem("v", "own"));
    passes(source);
    assertThat(value(source, "team-9", "x")).isEqualTo("own");
    speak("namespaces");
    Await.until("its list", () -> watched(source).namespaces() == 3);
    assertThat(value(source, "team-9", "x")).isEqualTo("own");
  }
}
