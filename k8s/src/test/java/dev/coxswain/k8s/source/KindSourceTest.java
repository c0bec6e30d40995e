// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.fixture.ConfigMaps;
import dev.coxswain.k8s.fixture.RecordingSink;
import dev.coxswain.k8s.fixture.ScriptedServer;
import dev.coxswain.reconcile.Request;
import dev.coxswain.source.Acquisition;
import dev.coxswain.source.EventSink;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KindSourceTest {

  private final ScriptedServer server = new ScriptedServer();
  private final Kubernetes k8s = Kubernetes.of(server.client(), KubernetesOptions.DEFAULT);
  private final RecordingSink sink = new RecordingSink();

  @AfterEach
  void close() {
    k8s.close();
    server.close();
  }

  private KindSelection<V1ConfigMap> maps() {
    return k8s.kind(V1ConfigMap.class);
  }

  private KindSource<V1ConfigMap> started(KindSelection<V1ConfigMap> selection) {
    KindSource<V1ConfigMap> source = selection.toSource();
    Await.get(source.start(sink));
    return source;
  }

  @Test
  void initialList_hasLowPriority_eventsHaveNormal() {
    server.put("a", "x", "1");
    started(maps());
    server.put("a", "y", "1");

    sink.awaitAdded("a/x -100 INITIAL_LIST", "a/y 0 EVENT");
  }

  @Test
  void resync_hasLowPriority() {
    server.put("a", "x", "1");
    KindSource<V1ConfigMap> source = started(maps().resyncEvery(Duration.ofMillis(20)));

    Await.until(() -> "a resync: " + sink.added(), () -> sink.added().contains("a/x -100 RESYNC"));
    Await.get(source.stop());
  }

  @Test
  void selectionIsAskedOfTheServer_andShownToPeople() {
    KindSource<V1ConfigMap> source =
        started(maps().inNamespace("shop").labels("a=b").fields("metadata.name=x"));

    assertThat(source.describe()).isEqualTo("ConfigMap labels a=b fields metadata.name=x in shop");
    assertThat(server.watches().getFirst())
        .containsEntry("labelSelector", "a=b")
        .containsEntry("fieldSelector", "metadata.name=x");
  }

  @Test
  void filters_mustAllPass() {
    server.put("a", "x", "1");
    server.put("a", "y", "1");
    started(
        maps()
            .filter(Predicates.selects("v=1"))
            .filter(Predicates.object(m -> "y".equals(ConfigMaps.meta(m).getName()))));

    sink.awaitAdded("a/y -100 INITIAL_LIST");
  }

  @Test
  void predicateThatThrows_letsTheEventPass_andIsCounted() {
    server.put("a", "x", "1");
    KindSource<V1ConfigMap> source =
        started(
            maps()
                .filter(event -> {
                  throw new IllegalStateException("on purpose");
                }));

    sink.awaitAdded("a/x -100 INITIAL_LIST");
    assertThat(source.filterFailures()).isEqualTo(1);
  }

  @Test
  void mappingThatThrows_skipsTheEvent_andIsCounted_andTheNextOneArrives() {
    server.put("a", "bad", "1");
    KindSource<V1ConfigMap> source =
        started(
            maps()
                .handledBy(
                    Handlers.map(m -> {
                      if ("bad".equals(ConfigMaps.meta(m).getName())) {
                        throw new IllegalStateException("on purpose");
                      }
                      return List.of(Request.of("mapped"));
                    })));
    server.put("a", "good", "1");

    sink.awaitAdded("mapped 0 EVENT");
    assertThat(source.handlerFailures()).isEqualTo(1);
  }

  @Test
  void mapping_looksAtTheObjectBefore_too() {
    started(maps().handledBy(Handlers.map(m -> List.of(Request.of("to-" + ConfigMaps.value(m))))));
    server.put("a", "x", "1");
    sink.awaitAdded("to-1 0 EVENT");

    server.put("a", "x", "2");

    sink.awaitAdded("to-1 0 EVENT", "to-2 0 EVENT", "to-1 0 EVENT");
  }

  @Test
  void sinkThatIsFull_isNotFilledFurther_andGetsTheLatestStateLater() {
    KindSource<V1ConfigMap> source = started(maps());
    sink.pending(EventSink.PENDING_HIGH_WATER);
    for (int i = 0; i < 100; i++) {
      server.put("a", "x", "" + i);
    }
    Await.until(
        "the last write",
        () -> source.get(Request.of("a", "x")).map(ConfigMaps::value).orElse("").equals("99"));
    // One may have been taken before the sink was full.
    assertThat(sink.added().size()).isLessThanOrEqualTo(1);

    sink.pending(0);

    Await.until("a delivery", () -> !sink.added().isEmpty());
    assertThat(sink.added().size()).isLessThanOrEqualTo(3);
  }

  @Test
  void reads_areAnsweredFromTheCache_whileTheSourceRuns() {
    KindSource<V1ConfigMap> source = maps().toSource();
    assertThatThrownBy(() -> source.get(Request.of("a", "x")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("not running");
    server.put("a", "x", "1");

    Await.get(source.start(sink));

    assertThat(source.get(Request.of("a", "x"))).isPresent();
    assertThat(source.holds(Request.of("a", "x"))).isTrue();
    assertThat(source.holds(Request.of("a", "y"))).isFalse();
    assertThat(source.statuses().getFirst().synced()).isTrue();
    Await.get(source.stop());
    assertThatThrownBy(source::list).isInstanceOf(IllegalStateException.class);
    assertThat(k8s.caches()).isEmpty();
  }

  @Test
  void sourceThatNamesOtherObjects_knowsNone_andSelectsByNoLabels() {
    server.put("a", "x", "1");
    KindSource<V1ConfigMap> source =
        started(maps().handledBy(Handlers.map(m -> List.of(Request.of("a", "x")))));

    assertThat(source.holds(Request.of("a", "x"))).isFalse();
    assertThat(source.selecting("!tier")).isEmpty();
  }

  @Test
  void selectionByLabels_isOfWhatASourceHolds_whileItRuns() {
    server.put("a", "x", "1");
    KindSource<V1ConfigMap> source = maps().toSource();
    Predicate<Request> selected = source.selecting("!tier").orElseThrow();
    assertThat(selected.test(Request.of("a", "x"))).isFalse();

    Await.get(source.start(sink));
    assertThat(selected.test(Request.of("a", "x"))).isTrue();
    assertThat(selected.test(Request.of("a", "y"))).as("what it does not hold").isFalse();
    assertThatThrownBy(() -> source.selecting("tier ~ x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "label selector \"tier ~ x\": expected =, ==, !=, in or notin behind \"tier\", found"
                + " \"~\"");
    Await.get(source.stop());
    assertThat(selected.test(Request.of("a", "x"))).isFalse();
  }

  @Test
  void sourceThatWasNeverStarted_canBeStopped() {
    assertThat(maps().toSource().stop().succeeded()).isTrue();
  }

  @Test
  void sourceStartsOnce() {
    KindSource<V1ConfigMap> source = started(maps());

    Future<Void> again = source.start(sink);

    assertThat(again.failed()).isTrue();
  }

  @Test
  void resourceThatIsNotInstalled_leavesTheSourceUnsynced_andFailsNothing() {
    server.installed(false);
    KindSource<V1ConfigMap> source = maps().toSource();

    Future<Void> synced = source.start(sink);

    Await.until("a watch", () -> !server.watches().isEmpty());
    assertThat(synced.isComplete()).isFalse();
    Await.get(source.stop());
  }

  @Test
  void delayAndPriorityOfAHandler_reachTheQueue_andTheSoonestAndHighestHoldForOneEvent() {
    server.put("a", "x", "1");
    started(
        maps()
            .handledBy(
                Handlers.onCreate((event, requests) -> {
                  requests.add(event.key(), Duration.ofSeconds(5), 7);
                  requests.add(Request.of("a", "now"), Duration.ofSeconds(-1), 300);
                  requests.add(Request.of("a", "twice"), Duration.ofSeconds(3), 1);
                  requests.add(Request.of("a", "twice"), Duration.ofSeconds(4), 2);
                  requests.accept(Request.of("a", "plain"));
                })));

    sink.awaitAdded(
        "a/x 7 INITIAL_LIST after PT5S",
        "a/now 300 INITIAL_LIST",
        "a/twice 2 INITIAL_LIST after PT3S",
        "a/plain -100 INITIAL_LIST");
  }

  @Test
  void delayOfAHandler_holdsForTheObjectsOfAnAcquiredSlot_atLowPriority() {
    server.put("a", "x", "1");
    KindSource<V1ConfigMap> source =
        started(
            maps()
                .handledBy(
                    Handlers.after(
                        Duration.ofSeconds(2), Handlers.withPriority(9, Handlers.object()))));

    source.redeliver(Acquisition.of(_ -> true));

    sink.awaitAdded("a/x 9 INITIAL_LIST after PT2S", "a/x -100 ACQUIRED after PT2S");
  }
}
