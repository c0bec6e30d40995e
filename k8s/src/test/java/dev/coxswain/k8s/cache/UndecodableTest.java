// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.fixture.Await;
import dev.coxswain.k8s.fixture.RecordingListener;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import org.junit.jupiter.api.Test;

/** A server that knows more than the client, and one object that nobody can read. */
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

  @Test
  void oneUndecodableObjectInAList_isCountedAndSkipped_andTheOthersArrive() {
    server.put("a", "before", "1");
    server.put(configMap("bad", ",\"data\":[\"not\",\"a\",\"map\"]"));
    server.put("a", "later", "1");

    CacheHandle<V1ConfigMap> cache = synced(listener);

    assertThat(cache.keys())
        .containsExactlyInAnyOrder(Request.of("a", "before"), Request.of("a", "later"));
    assertThat(cache.status().undecodable()).isEqualTo(1);
  }

  @Test
  void oneUndecodableEvent_isCountedAndSkipped_withoutARelist() {
    CacheHandle<V1ConfigMap> cache = synced(listener);

    server.put(configMap("bad", ",\"data\":7"));
    server.put("a", "x", "1");

    listener.awaitEvents("ADDED a/x=1 EVENT");
    assertThat(cache.status().undecodable()).isEqualTo(1);
    assertThat(server.lists()).hasSize(1);
  }

  @Test
  void objectThatBecomesUndecodable_keepsItsLastReadableState_evenAfterARelist() {
    server.put("a", "x", "1");
    CacheHandle<V1ConfigMap> cache = synced(listener);

    server.put(configMap("x", ",\"data\":7"));
    Await.until("the bad object", () -> cache.status().undecodable() == 1);
    server.compact(true);
    server.closeWatches();
    server.bookmark();

    server.put("a", "y", "1");
    Await.until(() -> "" + listener.events(), () -> listener.events().size() == 2);
    assertThat(listener.events()).last().isEqualTo("ADDED a/y=1 EVENT");
    assertThat(cache.get(Request.of("a", "x")).orElseThrow().getData()).containsEntry("v", "1");
  }

  @Test
  void undecodableObjectThatIsDeleted_isStillDelivered_withTheLastKnownState() {
    server.put("a", "x", "1");
    synced(listener);

    server.put(configMap("x", ",\"data\":7"));
    server.delete("a", "x");

    listener.awaitEvents("ADDED a/x=1 INITIAL_LIST", "DELETED a/x=1 EVENT");
  }
}
