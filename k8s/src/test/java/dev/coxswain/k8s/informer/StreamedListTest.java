// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.k8s.cache.UndecodableObjectException;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.fixture.RecordingListener;
import dev.coxswain.k8s.fixture.ScriptedServer.Answer;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lists that arrive as the first events of a watch, and servers that cannot do that. */
class StreamedListTest extends CacheTestSupport {

  private static final String ADDED =
      "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"namespace\":\"a\",\"name\":\"old\",\"uid\":\"u\"}}}\n";

  private final RecordingListener listener = new RecordingListener();

  @BeforeEach
  void stream() {
    caches.close();
    caches = caches(KubernetesOptions.DEFAULT);
    server.put("a", "x", "1");
    server.put("a", "y", "1");
  }

  @Test
  void everythingArrivesOnTheWatch_withoutAList_andTheSameWatchGoesOn() {
    InformerHandle<V1ConfigMap> cache = synced(listener);
    server.put("a", "x", "2");

    listener.awaitEvents(
        "ADDED a/x=1 INITIAL_LIST", "ADDED a/y=1 INITIAL_LIST", "UPDATED a/x=1>2 EVENT");
    assertThat(server.lists()).isEmpty();
    assertThat(server.watches())
        .singleElement()
        .satisfies(q ->
            assertThat(q)
                .containsEntry("sendInitialEvents", "true")
                .containsEntry("resourceVersionMatch", "NotOlderThan")
                .containsEntry("allowWatchBookmarks", "true")
                .doesNotContainKey("resourceVersion"));
    assertThat(cache.status().lists()).isEqualTo(1);
  }

  @Test
  void closedWatch_isResumedFromTheEndOfTheInitialEvents() {
    synced(listener);

    server.closeWatches();

    Await.until("a second watch", () -> server.watches().size() == 2);
    assertThat(server.watches().get(1))
        .containsEntry("resourceVersion", "102")
        .doesNotContainKey("sendInitialEvents");
  }

  @Test
  void expiredVersion_isStreamedAnew_andOnlyDifferencesAreDelivered() {
    synced(listener);
    server.silence(true);
    server.put("a", "x", "2");
    server.delete("a", "y");
    server.compact(true);
    server.silence(false);
    server.closeWatches();

    Await.until(listener.events()::toString, () -> listener.events().size() == 4);
    assertThat(listener.events().subList(2, 4))
        .containsExactlyInAnyOrder("UPDATED a/x=1>2 EVENT", "DELETED a/y=1 EVENT");
    assertThat(server.lists()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 405, 415, 422, 501})
  void serverThatRefuses_isReadInPages_andNotAskedAgain(int code) {
    server.nextWatch(Answer.status(code, "Invalid"));
    synced(listener);
    expire();
    Await.until("a second list", () -> server.lists().size() == 2);

    assertThat(server.watches().stream().filter(q -> q.containsKey("sendInitialEvents")))
        .hasSize(1);
    listener.awaitEvents("ADDED a/x=1 INITIAL_LIST", "ADDED a/y=1 INITIAL_LIST");
  }

  @Test
  void serverThatIgnoresTheParameters_isReadInPagesAfterALimit_andNotAskedAgain() {
    caches.close();
    caches = caches(KubernetesOptions.DEFAULT.withListTimeout(Duration.ofSeconds(1)));
    server.ignoresStreamedLists(true);

    synced(listener);

    // A slow machine may need more than one list, for the limit holds for lists as well.
    int lists = server.lists().size();
    assertThat(lists).isPositive();
    listener.awaitEvents("ADDED a/x=1 INITIAL_LIST", "ADDED a/y=1 INITIAL_LIST");
    expire();
    Await.until("another list", () -> server.lists().size() > lists);
    assertThat(server.watches().stream().filter(q -> q.containsKey("sendInitialEvents")))
        .hasSize(1);
  }

  @Test
  void streamThatIsCutBeforeItsEnd_deliversNothingOfIt_andTheNextListIsPaged() {
    server.nextWatch(new Answer(200, ADDED, Map.of()));

    synced(listener);

    listener.awaitEvents("ADDED a/x=1 INITIAL_LIST", "ADDED a/y=1 INITIAL_LIST");
    assertThat(server.lists()).hasSize(1);
    // A cut is no refusal: the list after that is streamed again.
    expire();
    Await.until(
        "a second stream",
        () ->
            server.watches().stream().filter(q -> q.containsKey("sendInitialEvents")).count() == 2);
  }

  @Test
  void changesBeforeTheEnd_areTakenIntoTheList() {
    server.nextWatch(
        new Answer(
            200,
            ADDED
                + object("ADDED", "x", "1", "5")
                + object("MODIFIED", "x", "2", "7")
                + "{\"type\":\"DELETED\",\"object\":{\"metadata\":{\"namespace\":\"a\",\"name\":\"old\"}}}\n"
                + "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"6\"}}}\n"
                + "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"102\","
                + "\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}\n",
            Map.of()));

    InformerHandle<V1ConfigMap> cache = synced(listener);

    listener.awaitEvents("ADDED a/x=2 INITIAL_LIST");
    assertThat(cache.keys()).isEqualTo(List.of(Request.of("a", "x")));
    assertThat(server.watches().get(1)).containsEntry("resourceVersion", "102");
  }

  @Test
  void undecodableInitialEvent_isKept_andFailsReads() {
    server.put(
        com.google.gson.JsonParser.parseString(
                "{\"metadata\":{\"namespace\":\"a\",\"name\":\"bad\",\"uid\":\"u\"},\"data\":7}")
            .getAsJsonObject());

    InformerHandle<V1ConfigMap> cache = synced(listener);

    assertThat(cache.keys()).hasSize(3);
    assertThatThrownBy(cache::list).isInstanceOf(UndecodableObjectException.class);
    assertThat(cache.status().undecodable()).isEqualTo(1);
  }

  /** Makes the cache list again. */
  private void expire() {
    server.nextWatch(Answer.status(410, "Expired"));
    server.closeWatches();
  }

  private static String object(String type, String name, String value, String version) {
    return "{\"type\":\"%s\",\"object\":{\"metadata\":{\"namespace\":\"a\",\"name\":\"%s\",\"uid\":\"u-%s\",\"resourceVersion\":\"%s\"},\"data\":{\"v\":\"%s\"}}}\n"
        .formatted(type, name, name, version, value);
  }
}
