// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.internal.http.Body;
import dev.coxswain.controller.BulkProgress;
import dev.coxswain.controller.BulkResult;
import dev.coxswain.controller.BulkResult.Ending;
import dev.coxswain.controller.BulkRun;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The expected end of an operation: that of the pace or of the spread, whichever is later. */
class OperationEndTest {

  private static final Instant START = Instant.parse("2026-11-20T10:00:00Z");

  private Instant now = START;
  private BulkProgress progress = BulkProgress.NONE;

  @Test
  void retry_endsWithItsSpread_alsoWhenItsItemsWereProcessedLongBefore() {
    Operation retry = operation("\"action\":\"retry\"", Duration.ofMinutes(5), 200);
    assertThat(retry.expectedEnd()).isEqualTo(after(300));
    now = after(50);
    retry.end(result(Ending.COMPLETE, 10_000), now);
    assertThat(retry.expectedEnd()).isEqualTo(after(300));
    now = after(300);
    assertThat(retry.expectedEnd()).isNull();
  }

  @Test
  void whatIsLeft_isChangedAtThePace_fromNowOn() {
    Operation forget = operation("\"action\":\"forget\"", Duration.ZERO, 50);
    assertThat(forget.expectedEnd()).isEqualTo(after(200));
    now = after(100);
    progress = progress(2_500); // a slow machine: half of what the pace allows
    assertThat(forget.expectedEnd()).isEqualTo(after(250));
    progress = progress(10_000);
    assertThat(forget.expectedEnd()).isNull();
  }

  @Test
  void requeue_endsAfterItsDelay_countedFromTheLastItem() {
    Operation requeue = operation("\"action\":\"requeue\",\"delay\":\"10m\"", Duration.ZERO, 100);
    assertThat(requeue.expectedEnd()).isEqualTo(after(700));
  }

  @Test
  void stoppedOne_endsWithTheItemsThatItChanged_andOneThatChangedNoneHasNoEnd() {
    Operation half = operation("\"action\":\"retry\"", Duration.ofMinutes(5), 200);
    now = after(25);
    half.end(result(Ending.STOPPED, 5_000), now);
    assertThat(half.expectedEnd()).isEqualTo(after(150));
    Operation none = operation("\"action\":\"retry\"", Duration.ofMinutes(5), 200);
    none.end(result(Ending.STOPPED, 0), now);
    assertThat(none.expectedEnd()).isNull();
  }

  private static Instant after(int seconds) {
    return START.plusSeconds(seconds);
  }

  private static BulkProgress progress(int changed) {
    return new BulkProgress(10_000, changed, Map.of(), 0, 0, 0);
  }

  private static BulkResult result(Ending ending, int changed) {
    return new BulkResult(false, ending, progress(changed), null, Map.of(), Map.of(), List.of(), 1);
  }

  private Operation operation(String action, Duration spread, int pace) {
    String body = "{" + action + ",\"selector\":{\"failing\":true},\"reason\":\"r\"}";
    OperationRequest request =
        OperationRequest.read(Body.parse(body.getBytes(StandardCharsets.UTF_8)), pace);
    OperationHeader header = new OperationHeader("op-1", List.of("a"));
    return new Operation(
        new OperationRecord(header, "demo", request, "alice", START),
        10_000,
        request.execution(1, 10_000, spread, 1),
        new Run(),
        new Hand());
  }

  private final class Run implements BulkRun {
    @Override
    public BulkProgress progress() {
      return progress;
    }

    @Override
    public Future<BulkResult> result() {
      return Future.failedFuture("not used");
    }

    @Override
    public void stop() {}
  }

  private final class Hand implements Clock {
    @Override
    public long nanos() {
      return Duration.between(START, now).toNanos();
    }

    @Override
    public Instant instant() {
      return now;
    }
  }
}
