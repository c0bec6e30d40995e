// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.pause;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.FakeController;
import dev.coxswain.admin.internal.http.ControllerCalls;
import dev.coxswain.admin.spi.PauseStore;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.testing.Await;
import dev.coxswain.view.FailurePattern;
import dev.coxswain.view.Phase;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A pause that is kept for all replicas takes effect as it is kept, not as it was asked for. */
class KeptPausesTest {

  private static final String WHY = "{\"reason\":\"INC-1\"}";

  /** Another replica may keep something else as soon as this one has. */
  private static final class Store implements PauseStore {
    volatile @Nullable Pause kept;
    final Map<FailurePattern, Pause> causes = new ConcurrentHashMap<>();
    volatile boolean failing;
    Runnable meanwhile = () -> {};

    @Override
    public Future<Optional<Pause>> pause(String controller, Pause pause) {
      return keep(pause);
    }

    @Override
    public Future<Optional<Pause>> resume(String controller) {
      return keep(null);
    }

    @Override
    public Future<Optional<Pause>> pauseCause(
        String controller, FailurePattern cause, Pause pause) {
      return Future.succeededFuture(Optional.ofNullable(causes.put(cause, pause)));
    }

    @Override
    public Future<Optional<Pause>> resumeCause(String controller, String cause) {
      return Future.succeededFuture(
          causes.keySet().stream()
              .filter(one -> one.id().equals(cause))
              .findFirst()
              .map(causes::remove));
    }

    @Override
    public Future<Void> restore(Restoration restoration) {
      return Future.failedFuture("not in this test");
    }

    private Future<Optional<Pause>> keep(@Nullable Pause pause) {
      if (failing) {
        return Future.failedFuture(new IllegalStateException("secret internals"));
      }
      Optional<Pause> before = Optional.ofNullable(kept);
      kept = pause;
      meanwhile.run();
      return Future.succeededFuture(before);
    }

    @Override
    public Future<Void> follow(ControllerHandle controller) {
      Pause now = kept;
      return now == null ? controller.resume() : controller.pause(now.status());
    }
  }

  private final Api api = new Api();
  private final Store store = new Store();

  @BeforeEach
  void keep() {
    api.directory.pauses = store;
  }

  @AfterEach
  void close() {
    api.close();
  }

  @Test
  void aPause_isKeptAndFollowed() {
    assertThat(api.post(Api.DEMO + "/pause", WHY).ok(200).path("paused").asBoolean()).isTrue();
    assertThat(api.post(Api.DEMO + "/resume", WHY).ok(200).path("paused").asBoolean()).isFalse();
    assertThat(store.kept).isNull();
  }

  /** What counts is what is kept for all replicas, not what this one shows. */
  @Test
  void aPauseOrAResumeOfWhatIsKeptAlready_isSkipped_withTheReason() {
    store.kept = new PauseStore.Pause("INC-1", "bob", Instant.EPOCH, null);
    JsonNode again = api.post(Api.DEMO + "/pause", WHY).ok(200);
    assertThat(again.path("result").asText()).isEqualTo("skipped");
    assertThat(again.path("detail").asText())
        .isEqualTo("it is paused already, since 1970-01-01T00:00:00Z; nothing was changed");
    JsonNode other = api.post(Api.DEMO + "/pause", "{\"reason\":\"INC-2\"}").ok(200);
    assertThat(other.path("result").asText()).isEqualTo("applied");
    assertThat(other.path("detail").asText())
        .startsWith("it was paused already,")
        .endsWith("only the reason and the end are replaced");
    assertThat(api.post(Api.DEMO + "/resume", WHY).ok(200).path("result").asText())
        .isEqualTo("applied");
    JsonNode none = api.post(Api.DEMO + "/resume", WHY).ok(200);
    assertThat(none.path("result").asText()).isEqualTo("skipped");
    assertThat(none.path("detail").asText()).isEqualTo("it is not paused; nothing was changed");
  }

  @Test
  void aPauseOfACause_isKeptWithWhatItsFailuresHaveInCommon_forReplicasThatHaveNotSeenIt() {
    api.demo.put("payments", "a", Phase.DELAYED, 1, "Quota: used up");
    String id = api.get(Api.DEMO + "/causes").ok(200).at("/items/0/id").asText();
    api.post(Api.DEMO + "/pause", "{\"reason\":\"INC-1\",\"cause\":\"" + id + "\"}").ok(200);
    assertThat(store.causes.keySet())
        .singleElement()
        .satisfies(cause -> {
          assertThat(cause.id()).isEqualTo(id);
          assertThat(cause.message()).isEqualTo("used up");
        });
    assertThat(store.kept).as("the controller is not paused").isNull();
    JsonNode again =
        api.post(Api.DEMO + "/resume", "{\"reason\":\"INC-1\",\"cause\":\"" + id + "\"}").ok(200);
    assertThat(again.path("result").asText()).isEqualTo("applied");
    assertThat(store.causes).isEmpty();
  }

  /** Or it would be paused for ever, with nothing in the store that says so. */
  @Test
  void aPauseThatAnotherReplicaHasEndedMeanwhile_doesNotStay() {
    store.meanwhile = () -> store.kept = null;
    JsonNode shown = api.post(Api.DEMO + "/pause", WHY).ok(200);
    assertThat(shown.path("paused").asBoolean()).isFalse();
    assertThat(api.demo.pause).isNull();
  }

  @Test
  void aResumeAfterWhichAnotherReplicaHasPaused_doesNotHold() {
    store.meanwhile = () -> store.kept = new PauseStore.Pause("INC-2", "bob", Instant.EPOCH, null);
    JsonNode shown = api.post(Api.DEMO + "/resume", WHY).ok(200);
    assertThat(shown.at("/pause/reason").asText()).isEqualTo("INC-2");
  }

  /** It is kept, and all replicas follow, however many questions this one has not answered. */
  @Test
  void aPauseThatIsKept_isNotCalledRefused_whileTheControllerIsBusy() {
    api.demo.mood = FakeController.Mood.SILENT;
    List<CompletableFuture<Api.Answer>> open = new ArrayList<>();
    for (int i = 0; i < ControllerCalls.MAX_PENDING; i++) {
      open.add(CompletableFuture.supplyAsync(() -> api.get(Api.DEMO + "/items")));
    }
    Await.until(() -> api.demo.unanswered.get() == ControllerCalls.MAX_PENDING);
    api.demo.mood = FakeController.Mood.ANSWERS;

    assertThat(api.post(Api.DEMO + "/pause", WHY).ok(200).path("paused").asBoolean()).isTrue();
    open.forEach(answer -> answer.join().problem(503, "timeout"));
  }

  @Test
  void whatCannotBeKept_isNotDone() {
    store.failing = true;
    api.post(Api.DEMO + "/pause", WHY).problem(503, "pause-not-stored");
    assertThat(api.demo.pause).isNull();
  }
}
