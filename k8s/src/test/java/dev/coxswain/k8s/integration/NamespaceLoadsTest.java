// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static dev.coxswain.k8s.integration.NamespacedReplica.ALL;
import static dev.coxswain.k8s.integration.NamespacedReplica.NAMES;
import static dev.coxswain.k8s.integration.NamespacedReplica.NAMESPACES;
import static dev.coxswain.k8s.integration.NamespacedReplica.OBJECTS;
import static dev.coxswain.k8s.integration.NamespacedReplica.namespaces;
import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.fault.Fault;
import dev.coxswain.apiserver.fault.FaultFilter;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What a replica reads with slots by namespace: the namespaces {@code team-0} to {@code team-7} in four slots, each with
 * 20 objects.
 */
class NamespaceLoadsTest {

  private final NamespacedReplica with = new NamespacedReplica(false);
  private final Queue<String> requests = with.requests;

  @AfterEach
  void close() {
    with.close();
  }

  @Test
  void aStart_listsTheNamespacesOfTheKeptSlots_andNothingElse() {
    KindSource<V1ConfigMap> source = with.start(1);
    assertThat(namespaces(source)).containsExactly("team-1", "team-5");
    assertThat(with.listed()).containsExactly("team-1", "team-5");
    assertThat(requests).doesNotContain("STREAM " + ALL, "LIST " + ALL);
    with.put("team-1", "later", "1");
    Await.until("the watch to bring it", () -> source.owned().keys().size() == 2 * OBJECTS + 1);
  }

  @Test
  void aSlotThatIsAcquired_isLoadedFromItsNamespaces() {
    KindSource<V1ConfigMap> source = with.start(1);
    requests.clear();
    Await.get(with.slots.keep(List.of(2)));
    assertThat(namespaces(source)).containsExactly("team-1", "team-2", "team-5", "team-6");
    assertThat(with.listed()).containsExactly("team-2", "team-6");
    assertThat(requests).doesNotContain("STREAM " + ALL, "LIST " + ALL);
  }

  /** The watch has begun at a version before the list of namespaces. */
  @Test
  void aNamespaceThatIsMadeAfterTheNamespacesWereRead_isNotMissed() {
    with.before =
        path -> {
          if (path.equals(NAMES + "/team-1/configmaps")) {
            with.before = _ -> {};
            with.namespace("team-13");
            with.put("team-13", "x", "1");
          }
        };
    KindSource<V1ConfigMap> source = with.start(1);
    Await.until("its object", () -> namespaces(source).contains("team-13"));
    assertThat(with.listed()).containsExactly("team-1", "team-5");
  }

  /** As {@link #aNamespaceThatIsMadeAfterTheNamespacesWereRead_isNotMissed}, while the watch is behind. */
  @Test
  void aNamespaceThatIsMadeDuringALoad_isNotMissed() {
    KindSource<V1ConfigMap> source = with.start(1);
    with.before =
        path -> {
          if (path.equals(NAMES + "/team-2/configmaps")) {
            with.before = _ -> {};
            with.namespace("team-22");
            with.put("team-22", "x", "1");
          }
        };
    with.server.faults().silenceWatches(true);
    Await.get(with.slots.keep(List.of(2)));
    assertThat(namespaces(source)).doesNotContain("team-22");
    with.server.faults().silenceWatches(false);
    with.server.faults().closeWatches();
    Await.until("its object", () -> namespaces(source).contains("team-22"));
  }

  /** Deletions that the watch has missed are found by the differences. */
  @Test
  void aListAfterAnExpiredVersion_readsTheNamespaces_andFindsWhatIsGone() {
    KindSource<V1ConfigMap> source = with.start(1);
    requests.clear();
    with.server.faults().silenceWatches(true);
    for (int i = 0; i < OBJECTS; i++) {
      with.user.resource(V1ConfigMap.class).delete(Request.of("team-5", "x" + i));
    }
    with.put("team-1", "x0", "2");
    with.server.faults().compactHistory();
    with.server.faults().silenceWatches(false);
    with.server.faults().closeWatches();
    Await.until("the differences", () -> namespaces(source).equals(Set.of("team-1")));
    assertThat(source.get(Request.of("team-1", "x0")).map(ConfigMaps::value)).contains("2");
    assertThat(with.listed()).containsExactly("team-1", "team-5");
  }

  @Test
  void moreThanHalfOfTheNamespaces_areReadAsAWhole() {
    KindSource<V1ConfigMap> source = with.start(0, 1, 2);
    assertThat(namespaces(source)).hasSize(6);
    assertThat(with.listed()).isEmpty();
    assertThat(requests).contains("STREAM " + ALL);
  }

  @Test
  void withoutTheRightToListNamespaces_everythingIsRead() {
    with.server.faults().inject(Fault.fail(403).on(FaultFilter.resources("namespaces")));
    KindSource<V1ConfigMap> source = with.start(1);
    assertThat(namespaces(source)).containsExactly("team-1", "team-5");
    assertThat(with.listed()).isEmpty();
    assertThat(requests).contains("STREAM " + ALL);
    Await.get(with.slots.keep(List.of(2)));
    assertThat(namespaces(source)).hasSize(4);
    assertThat(requests).contains("LIST " + ALL);
  }

  /** It may lead to a request of an own slot from any namespace. */
  @Test
  void aMappingThatMayLeaveItsNamespace_readsEverything() {
    KindSource<V1ConfigMap> source =
        with.start(Handlers.mapByMetadata(metadata -> List.of(Request.of("team-1", "x"))), 1);
    assertThat(with.listed()).isEmpty();
    assertThat(requests).contains("STREAM " + ALL);
    assertThat(source.owned().keys()).hasSizeGreaterThanOrEqualTo(NAMESPACES);
  }

  @Test
  void aMappingThatStaysInItsNamespace_readsTheNamespaces() {
    with.start(
        Handlers.mapInNamespace(
            metadata -> List.of(Request.of(String.valueOf(metadata.getNamespace()), "y"))),
        1);
    assertThat(with.listed()).containsExactly("team-1", "team-5");
  }

  /** A slot of twenty caches reads the namespaces once or twice, not twenty times. */
  @Test
  void manyCaches_shareTheListOfNamespaces() {
    for (int i = 0; i < 20; i++) {
      KindSource<V1ConfigMap> source =
          with.replica.kind(V1ConfigMap.class).fields("metadata.name!=none" + i).toSource();
      with.started.add(source);
    }
    Await.get(with.slots.keep(List.of(1)));
    with.started.forEach(source -> Await.get(source.start(new RecordingSink(true))));
    Await.until("synced", () -> with.started.stream().allMatch(NamespacedReplica::isSynced));
    requests.clear();
    with.before = // the first one waits until all others have read their version
        path -> {
          if (path.equals(NAMES)) {
            with.before = _ -> {};
            Await.until(
                "the others",
                () -> requests.stream().filter(one -> one.equals("VERSION " + ALL)).count() == 20);
          }
        };
    Await.get(with.slots.keep(List.of(2)));
    assertThat(requests.stream().filter(one -> one.equals("LIST " + NAMES))).hasSizeLessThan(4);
    assertThat(with.started).allMatch(one -> namespaces(one).size() == 4);
  }

  /** One request costs less than many, for hardly any objects. */
  @Test
  void aResourceWithFewObjects_isReadAsAWhole() {
    for (int i = 0; i < NAMESPACES; i++) {
      with.user
          .resource(V1Secret.class)
          .create(new V1Secret().metadata(new V1ObjectMeta().namespace("team-" + i).name("s")));
    }
    Await.get(with.slots.keep(List.of(1)));
    KindSource<V1Secret> source = with.replica.kind(V1Secret.class).toSource();
    Await.get(source.start(new RecordingSink(true)));
    Await.until("synced", () -> source.statuses().stream().allMatch(CacheStatus::synced));
    assertThat(source.owned().keys()).hasSize(2);
    assertThat(requests).contains("STREAM /api/v1/secrets");
    assertThat(requests).doesNotContain("LIST " + NAMES + "/team-1/secrets");
    Await.get(source.stop());
  }

  @Test
  void aNamespaceThatCannotBeRead_isTriedAgain_withoutTheOthers() {
    with.server
        .faults()
        .inject(Fault.fail(503).on(FaultFilter.path(NAMES + "/team-5/configmaps")).times(2));
    KindSource<V1ConfigMap> source = with.start(1);
    assertThat(source.owned().keys()).hasSize(2 * OBJECTS);
    assertThat(requests.stream().filter(("LIST " + NAMES + "/team-1/configmaps")::equals))
        .hasSize(1);
    assertThat(requests.stream().filter(("LIST " + NAMES + "/team-5/configmaps")::equals))
        .hasSize(3);
  }

  /** Lists that take longer than the server keeps its history would go on for ever. */
  @Test
  void aVersionThatHasExpiredAfterTheLists_twice_isFollowedByAListOfEverything() {
    with.before =
        path -> {
          if (path.equals(NAMES + "/team-5/configmaps")) {
            with.put("team-0", "expires", Long.toString(System.nanoTime()));
            with.server.faults().compactHistory();
          }
        };
    KindSource<V1ConfigMap> source = with.start(1);
    Await.until("a list of everything", () -> requests.contains("STREAM " + ALL));
    with.put("team-1", "later", "1");
    Await.until("the watch", () -> source.owned().keys().size() == 2 * OBJECTS + 1);
  }

  @Test
  void aNamespaceOfSeveralPages_isReadWhole() {
    Map<String, Integer> sizes = Map.of("team-1", OBJECTS, "team-5", OBJECTS);
    KindSource<V1ConfigMap> source = with.start(1);
    assertThat(
            source.owned().keys().stream()
                .collect(Collectors.groupingBy(Request::namespace, Collectors.summingInt(_ -> 1))))
        .isEqualTo(sizes);
  }
}
