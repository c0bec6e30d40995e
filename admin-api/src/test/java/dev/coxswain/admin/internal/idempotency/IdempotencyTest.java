// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.FakeController;
import dev.coxswain.admin.internal.idempotency.IdempotencyStore.Answer;
import dev.coxswain.admin.internal.idempotency.IdempotencyStore.Claim;
import dev.coxswain.controller.BulkResult;
import dev.coxswain.testing.Await;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.Phase;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same Idempotency-Key never acts twice. */
class IdempotencyTest {

  private static final String KEY = "Idempotency-Key";
  private static final String WHY = "{\"reason\":\"x\"}";
  private static final String OPERATIONS = Api.DEMO + "/operations";
  private static final String FORGET =
      "{\"action\":\"forget\",\"selector\":{\"failing\":true},\"reason\":\"x\"}";

  private final Api api = new Api();

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void theSameRequest_getsTheSameAnswer_andActsOnce() {
    String id = api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
    Api.Answer first = api.post(Api.item(id) + "/retry", WHY, KEY, "k1");
    api.demo.put("a", "b", Phase.DELAYED, 2, "boom");
    Api.Answer second = api.post(Api.item(id) + "/retry", "{ \"reason\" : \"x\" }", KEY, "k1");
    assertThat(second.ok(200)).isEqualTo(first.ok(200));
    assertThat(second.header("Idempotency-Replayed")).isEqualTo("true");
    assertThat(first.header("Idempotency-Replayed")).isEmpty();
    assertThat(java.util.Objects.requireNonNull(api.demo.at(id)).phase()).isEqualTo(Phase.DELAYED);
  }

  @Test
  void anAnswerWithoutABody_isRepeatedToo() {
    String id = api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
    assertThat(api.change("DELETE", Api.item(id), WHY, KEY, "k1").status()).isEqualTo(204);
    api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
    assertThat(api.change("DELETE", Api.item(id), WHY, KEY, "k1").status()).isEqualTo(204);
    assertThat(api.demo.size()).isEqualTo(1);
  }

  @Test
  void whatTheAnswerSaysInHeaders_isRepeatedToo() {
    String id = api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
    Api.Answer first = api.post(Api.item(id) + "/retry", WHY, KEY, "k1");
    Api.Answer second = api.post(Api.item(id) + "/retry", WHY, KEY, "k1");
    assertThat(first.header("ETag")).isNotEmpty();
    assertThat(second.header("ETag")).isEqualTo(first.header("ETag"));

    api.demo.put("a", "c", Phase.DELAYED, 1, "boom");
    Api.Answer begun = api.post(OPERATIONS, FORGET, KEY, "k2");
    api.ended(begun.ok(202));
    Api.Answer again = api.post(OPERATIONS, FORGET, KEY, "k2");
    for (String name : List.of("Location", "Retry-After")) {
      assertThat(begun.header(name)).isNotEmpty();
      assertThat(again.header(name)).isEqualTo(begun.header(name));
    }
  }

  /** Its counts and its token would be those of long ago, and the order itself a 422. */
  @Test
  void aPreview_isMadeEachTime_andDoesNotUseUpTheKey() {
    String preview = FORGET.replace("{\"action\"", "{\"dryRun\":true,\"action\"");
    api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
    assertThat(api.post(OPERATIONS, preview, KEY, "k1").ok(200).path("matched").asInt()).isOne();
    api.demo.put("a", "c", Phase.DELAYED, 1, "boom");
    Api.Answer second = api.post(OPERATIONS, preview, KEY, "k1");
    assertThat(second.ok(200).path("matched").asInt()).isEqualTo(2);
    assertThat(second.header("Idempotency-Replayed")).isEmpty();
    api.post(OPERATIONS, FORGET, KEY, "k1").ok(202);
  }

  @Test
  void anotherRequestUnderTheSameKey_is422() {
    String id = api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
    api.post(Api.item(id) + "/retry", WHY, KEY, "k1").ok(200);
    api.post(Api.item(id) + "/retry", "{\"reason\":\"y\"}", KEY, "k1")
        .problem(422, "idempotency-key-reused");
    api.post(Api.item(id) + "/forget", WHY, KEY, "k1").problem(422, "idempotency-key-reused");
    api.post(Api.item(id) + "/retry", WHY, KEY, "k1", "If-Match", "\"1\"")
        .problem(422, "idempotency-key-reused");
    api.post(Api.item(id) + "/retry", "{\"reason\":\"y\"}", KEY, "k2").ok(200);
  }

  @Test
  void whileTheFirstRuns_theSecondIs409() {
    api.demo.mood = FakeController.Mood.SILENT;
    CompletableFuture<Api.Answer> first =
        CompletableFuture.supplyAsync(() -> api.post(Api.DEMO + "/pause", WHY, KEY, "k1"));
    Await.until(() -> api.demo.unanswered.get() == 1);
    api.post(Api.DEMO + "/pause", WHY, KEY, "k1").problem(409, "request-running");
    first.join().problem(503, "timeout");
    api.post(Api.DEMO + "/pause", WHY, KEY, "k1").problem(409, "request-running");
    assertThat(api.demo.unanswered.get()).isEqualTo(1);
  }

  @Test
  void manyAtOnce_beginOneOperation() {
    api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
    Promise<BulkResult> held = Promise.promise();
    api.demo.heldBulk = held;
    List<CompletableFuture<Api.Answer>> sent = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      sent.add(CompletableFuture.supplyAsync(() -> api.post(OPERATIONS, FORGET, KEY, "k1")));
    }
    List<String> locations = new ArrayList<>();
    for (CompletableFuture<Api.Answer> answer : sent) {
      if (answer.join().status() == 409) {
        answer.join().problem(409, "request-running");
      } else {
        answer.join().ok(202);
        locations.add(answer.join().header("Location"));
      }
    }
    assertThat(locations).isNotEmpty();
    assertThat(locations.stream().distinct()).hasSize(1);
    assertThat(api.demo.bulks.stream().filter(request -> !request.dryRun())).hasSize(1);
    JsonNode again = api.post(OPERATIONS, FORGET, KEY, "k1").ok(202);
    assertThat(again.path("state").asText()).as("the answer of then").isEqualTo("Running");
  }

  @Test
  void whatWasRefused_hasChangedNothing_andMayBeTriedAgain() {
    String address = Api.item(new dev.coxswain.view.ItemId("a", "b").encoded()) + "/retry";
    api.post(address, WHY, KEY, "k1").problem(404, "item-not-found");
    api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
    api.post(address, WHY, KEY, "k1").ok(200);
  }

  @Test
  void whatFailedInside_isNotDoneAgain() {
    api.demo.mood = FakeController.Mood.FAILS;
    api.post(Api.DEMO + "/pause", WHY, KEY, "k1").problem(500, "internal");
    api.demo.mood = FakeController.Mood.ANSWERS;
    Api.Answer again = api.post(Api.DEMO + "/pause", WHY, KEY, "k1");
    assertThat(again.status()).isEqualTo(500);
    assertThat(again.header("Content-Type")).isEqualTo("application/problem+json");
    assertThat(api.demo.pause).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"two words", "caf\u00e9"})
  void aKeyThatIsNoVisibleText_is400(String key) {
    String request =
        "POST "
            + Api.DEMO
            + "/pause HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            + "Content-Type: application/json\r\nContent-Length: 14\r\nIdempotency-Key: "
            + key
            + "\r\n\r\n"
            + WHY;
    assertThat(api.raw(request)).startsWith("HTTP/1.1 400 ");
    assertThat(api.demo.pause).isNull();
  }

  @Test
  void theStore_isBounded_forgetsTheOldestAnswer_andNeverWhatRuns() {
    IdempotencyStore store = new IdempotencyStore(new VirtualTime(), 3);
    Answer answer = new Answer(204, null, Map.of());
    for (String key : List.of("a", "b", "c")) {
      assertThat(store.claim(key, "f")).isEqualTo(new Claim.Taken());
    }
    assertThat(store.claim("d", "f")).isEqualTo(new Claim.Full());
    store.keep("b", answer);
    assertThat(store.claim("d", "f")).isEqualTo(new Claim.Taken());
    assertThat(store.claim("a", "f")).isEqualTo(new Claim.Running());
    store.release("a");
    assertThat(store.claim("b", "f")).as("was forgotten").isEqualTo(new Claim.Taken());
  }

  @Test
  void aKey_isForgottenAfterADay() {
    VirtualTime time = new VirtualTime();
    IdempotencyStore store = new IdempotencyStore(time, 3);
    store.claim("a", "f");
    store.keep("a", new Answer(204, null, Map.of()));
    time.advance(Duration.ofHours(24));
    assertThat(store.claim("a", "f")).isInstanceOf(Claim.Answered.class);
    assertThat(store.claim("a", "g")).isEqualTo(new Claim.OtherRequest());
    time.advance(Duration.ofNanos(1));
    assertThat(store.claim("a", "g")).isEqualTo(new Claim.Taken());
  }
}
