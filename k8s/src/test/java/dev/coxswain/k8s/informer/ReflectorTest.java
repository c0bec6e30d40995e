// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.fixture.RecordingListener;
import dev.coxswain.k8s.fixture.ScriptedServer.Answer;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Order(1) // takes long
class ReflectorTest extends CacheTestSupport {

  /** Longer than it takes to notice an answer. */
  private static final Duration LONG = Duration.ofSeconds(4);

  private final RecordingListener listener = new RecordingListener();

  @Test
  void everythingThatIsThere_isReadInPages_andDeliveredBeforeSynced() {
    for (int i = 1; i <= 5; i++) {
      server.put("a", "x" + i, "" + i);
    }

    synced(listener);

    assertThat(listener.events())
        .containsExactlyInAnyOrder(
            "ADDED a/x1=1 INITIAL_LIST",
            "ADDED a/x2=2 INITIAL_LIST",
            "ADDED a/x3=3 INITIAL_LIST",
            "ADDED a/x4=4 INITIAL_LIST",
            "ADDED a/x5=5 INITIAL_LIST");
    assertThat(server.lists())
        .hasSize(3)
        .allSatisfy(q -> assertThat(q).containsEntry("limit", "2"));
  }

  @Test
  void changesArriveAsEvents_withTheStateBefore() {
    server.put("a", "x", "1");
    InformerHandle<V1ConfigMap> cache = synced(listener);

    server.put("a", "x", "2");
    server.put("b", "y", "7");
    listener.awaitEvents("ADDED a/x=1 INITIAL_LIST", "UPDATED a/x=1>2 EVENT", "ADDED b/y=7 EVENT");
    server.delete("b", "y");

    listener.awaitEvents(
        "ADDED a/x=1 INITIAL_LIST",
        "UPDATED a/x=1>2 EVENT",
        "ADDED b/y=7 EVENT",
        "DELETED b/y=7 EVENT");
    assertThat(cache.keys()).containsExactly(Request.of("a", "x"));
    assertThat(cache.list("a"))
        .singleElement()
        .satisfies(m -> assertThat(m.getData()).containsEntry("v", "2"));
  }

  @Test
  void closedWatch_isResumedFromTheLastVersion_withoutListingAgain() {
    synced(listener);
    long last = server.put("a", "x", "1");
    listener.awaitEvents("ADDED a/x=1 EVENT");

    server.closeWatches();
    server.put("a", "x", "2");

    listener.awaitEvents("ADDED a/x=1 EVENT", "UPDATED a/x=1>2 EVENT");
    assertThat(server.lists()).hasSize(1);
    assertThat(server.watches().get(1)).containsEntry("resourceVersion", "" + last);
  }

  @Test
  void bookmark_movesTheVersionToResumeFrom() {
    InformerHandle<V1ConfigMap> cache = synced(listener);
    assertThat(server.watches().getFirst()).containsEntry("allowWatchBookmarks", "true");
    long bookmarked = server.bookmark();
    Await.until("the bookmark to be sent", () -> server.sent() >= bookmarked);

    server.closeWatches();

    Await.until("a second watch", () -> server.watches().size() == 2);
    assertThat(server.watches().get(1)).containsEntry("resourceVersion", "" + bookmarked);
    assertThat(cache.status().lists()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void expiredVersion_listsAgain_andEveryDifferenceReachesEveryListener(boolean asEvent) {
    server.put("a", "stays", "1");
    server.put("a", "changes", "1");
    server.put("a", "goes", "1");
    synced(listener);
    RecordingListener second = new RecordingListener();
    Await.get(caches.use(ALL).subscribe("second", second).synced());
    int received = 3;

    // The open watch receives nothing of this, and the next one begins too early.
    server.silence(true);
    server.put("a", "changes", "2");
    server.delete("a", "goes");
    server.put("a", "comes", "1");
    server.compact(asEvent);
    server.silence(false);
    server.closeWatches();

    Await.until(
        () -> "three differences: " + listener.events(),
        () -> listener.events().size() == received + 3);
    Await.until(() -> "the same: " + second.events(), () -> second.events().size() == received + 3);
    assertThat(listener.events().subList(received, received + 3))
        .containsExactlyInAnyOrder(
            "UPDATED a/changes=1>2 EVENT", "DELETED a/goes=1 EVENT", "ADDED a/comes=1 EVENT");
    assertThat(second.events().subList(received, received + 3))
        .containsExactlyInAnyOrderElementsOf(listener.events().subList(received, received + 3));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        // An old server; a server that names the cause; the same in another language.
        "{\"code\":504,\"reason\":\"Timeout\",\"message\":\"Too large resource version: 9\"}",
        "{\"code\":504,\"reason\":\"Timeout\",\"message\":\"Timeout: Too large resource version: 9, current: 1\","
            + "\"details\":{\"causes\":[{\"reason\":\"ResourceVersionTooLarge\"}]}}",
        "{\"code\":504,\"reason\":\"Timeout\",\"message\":\"?\","
            + "\"details\":{\"causes\":[{\"reason\":\"ResourceVersionTooLarge\"}]}}"
      })
  void tooLargeVersion_afterARestore_listsAgain_asAnswerAndAsEvent(String status) {
    synced(listener);
    server.nextWatch(
        new Answer(504, status, Map.of()),
        new Answer(200, "{\"type\":\"ERROR\",\"object\":" + status + "}\n", Map.of()));

    server.closeWatches();

    Await.until("a list for each", () -> server.lists().size() == 3);
  }

  @Test
  void timeoutOfAnotherCause_isResumedWithoutAList() {
    synced(listener);
    server.nextWatch(Answer.status(504, "Timeout"));

    server.closeWatches();

    Await.until("another watch", () -> server.watches().size() == 3);
    assertThat(server.lists()).hasSize(1);
  }

  @Test
  void silentWatch_isTakenForDead_andOpenedAgain() {
    caches = caches(PAGED.withIdleTimeout(Duration.ofMillis(200)));
    synced(listener);

    server.silence(true);
    server.put("a", "x", "1");
    Await.until("the watch to be given up", () -> server.watches().size() >= 2);
    server.silence(false);

    Await.until(listener.events()::toString, () -> listener.events().contains("ADDED a/x=1 EVENT"));
    assertThat(server.lists()).hasSize(1);
  }

  @Test
  void watchesThatEndAtOnce_areOpenedEverMoreSlowly() {
    synced(listener);
    int before = server.watches().size();
    long begun = System.nanoTime();

    server.endWatchesAtOnce(true);
    Await.until("six more watches", () -> server.watches().size() >= before + 6);

    // 20..40, 40..80, 80..160, 100..200, 100..200 ms between them; a slow machine only adds.
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofMillis(300));
    server.endWatchesAtOnce(false);
    server.put("a", "x", "1");
    listener.awaitEvents("ADDED a/x=1 EVENT");
  }

  /** It was resumed from there for ever, and the cache missed everything after it. */
  @ParameterizedTest
  @ValueSource(strings = {"500 status", "500 event", "400 status", "400 event"})
  void aVersionFromWhichTheServerRefusesTwice_isGivenUpForAList(String refusal) {
    synced(listener);
    int lists = server.lists().size();
    String code = refusal.substring(0, 3);
    String status = "{\"kind\":\"Status\",\"code\":" + code + ",\"message\":\"no\"}";
    Answer answer =
        refusal.endsWith("event")
            ? new Answer(200, "{\"type\":\"ERROR\",\"object\":" + status + "}\n", Map.of())
            : new Answer(Integer.parseInt(code), status, Map.of());
    server.nextWatch(answer, answer, answer, answer);
    server.closeWatches();
    Await.until("another list", () -> server.lists().size() > lists);
    assertThat(server.lists()).hasSize(lists + 1);
  }

  @Test
  void failingServer_isVisibleAndTriedAgain() {
    server.nextList(Answer.status(500, "InternalError"), Answer.status(403, "Forbidden"));

    InformerHandle<V1ConfigMap> cache = synced(listener);

    assertThat(server.lists()).hasSize(3);
    Await.until("recovery", () -> cache.status().phase() == CacheStatus.Phase.WATCHING);
    assertThat(cache.status().lastError()).isEmpty();
  }

  @Test
  void watchesOfAServerThatWasUnreachable_areOpenedSoonAfterItAnswersAnything() {
    caches.close();
    ApiTransport transport = new ApiTransport(server.client(), PAGED);
    caches =
        new InformerRegistry(
            transport,
            FAST.withMaxBackoff(Duration.ofMinutes(1)).withMinBackoff(LONG),
            Clock.system());
    InformerHandle<V1ConfigMap> cache = synced(listener);
    int before = server.watches().size();
    server.nextWatch(Answer.status(503, "Away"), Answer.status(503, "StillAway"));
    server.closeWatches();
    // The second wait is LONG at least: a request in between is answered.
    Await.until("the second wait", () -> cache.status().lastError().contains("StillAway"));
    long begun = System.nanoTime();

    assertThat(transport.list("/api/v1/configmaps", Map.of(), ApiTransport.JSON, () -> {}, _ -> {}))
        .isNotEmpty();

    Await.until("the third watch", () -> server.watches().size() >= before + 3);
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(LONG);
  }

  @Test
  void expiredContinueToken_startsTheListOver() {
    server.put("a", "x1", "1");
    server.nextList(
        new Answer(
            200,
            "{\"kind\":\"ConfigMapList\",\"metadata\":{\"resourceVersion\":\"5\",\"continue\":\"t\"},\"items\":[]}",
            Map.of()),
        Answer.status(410, "Expired"));

    synced(listener);

    listener.awaitEvents("ADDED a/x1=1 INITIAL_LIST");
  }

  @Test
  void resourceThatIsNotInstalled_isWaitedFor_visiblyAndWithoutBackingOff() {
    server.installed(false);
    InformerHandle<V1ConfigMap> cache = caches.use(ALL);
    var synced = cache.subscribe("test", listener).synced();
    Await.until(
        "the waiting state", () -> cache.status().phase() == CacheStatus.Phase.WAITING_FOR_API);
    assertThat(synced.isComplete()).isFalse();

    server.put("a", "x", "1");
    server.installed(true);

    Await.get(synced);
    listener.awaitEvents("ADDED a/x=1 INITIAL_LIST");
  }

  @Test
  void resourceThatIsGoneForAWhile_doesNotEmptyTheCache() {
    server.put("a", "x", "1");
    InformerHandle<V1ConfigMap> cache = synced(listener);

    server.installed(false);
    Await.until(
        "the waiting state", () -> cache.status().phase() == CacheStatus.Phase.WAITING_FOR_API);

    assertThat(cache.keys()).hasSize(1);
    server.installed(true);
    Await.until("recovery", () -> cache.status().phase() == CacheStatus.Phase.WATCHING);
    assertThat(listener.events()).containsExactly("ADDED a/x=1 INITIAL_LIST");
  }

  /** Expiry is routine once; a server that expires what it has just listed was listed in a loop. */
  @Test
  void serverThatExpiresItsLatestVersion_isAProblem_andIsListedAgainAfterPauses() {
    InformerHandle<V1ConfigMap> cache = synced(listener);
    Answer[] expired = new Answer[8];
    Arrays.fill(expired, Answer.status(410, "Expired"));
    server.nextWatch(expired);

    server.closeWatches();

    Await.until("a problem", () -> cache.status().problem().orElse("").contains("Expired"));
    server.put("a", "x", "1");
    Await.until("the object", () -> cache.keys().contains(Request.of("a", "x")));
    Await.until("no problem", () -> cache.status().problem().isEmpty());
    assertThat(server.lists()).hasSize(9);
  }

  /** An empty list would have meant that all objects are gone. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"error\":\"no upstream\"}",
        "{\"items\":[]}",
        "{\"kind\":\"ConfigMap\",\"metadata\":{\"resourceVersion\":\"1\"}}"
      })
  void answerThatIsNoList_fromAProxyForInstance_doesNotEmptyTheCache(String answer) {
    server.put("a", "x", "1");
    InformerHandle<V1ConfigMap> cache = synced(listener);
    int before = server.lists().size();

    server.nextList(new Answer(200, answer, Map.of()));
    server.nextWatch(Answer.status(410, "Expired"));
    server.closeWatches();
    Await.until("another list", () -> server.lists().size() >= before + 2);
    server.put("a", "y", "2");

    listener.awaitEvents("ADDED a/x=1 INITIAL_LIST", "ADDED a/y=2 EVENT");
    assertThat(cache.keys()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\":\"MODIFIED\",\"obj",
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"namespace\":\"a\",\"name\":\"z\",\"resourceVersion\":\"900\"},\"data\":{",
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"namespace\":\"a\",\"name\":\"z\",\"resourceVersion\":\"900\"}}} {}"
      })
  void lineThatIsNoEvent_leadsToAResume_andThenToAList(String line) {
    InformerHandle<V1ConfigMap> cache = synced(listener);
    int before = server.lists().size();

    server.sendRaw(line);
    Await.until("another list", () -> server.lists().size() > before);
    server.put("a", "x", "1");

    listener.awaitEvents("ADDED a/x=1 EVENT");
    assertThat(cache.keys()).hasSize(1);
  }
}
