// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.thread;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.spi.ControllerTelemetry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CancelActionsTest {

  private final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
  private final ControllerTelemetry telemetry =
      new ControllerTelemetry() {
        @Override
        public void userCodeFailed(String place, Throwable cause) {
          assertThat(place).isEqualTo("cancel action");
          failures.add(cause);
        }
      };

  private CancelActions actions(Duration limit) {
    return new CancelActions("demo", task -> Thread.ofVirtual().start(task), telemetry, limit);
  }

  private String failure() throws InterruptedException {
    Throwable failure = failures.poll(60, TimeUnit.SECONDS);
    return String.valueOf(failure == null ? null : failure.getMessage());
  }

  @Test
  void anActionThatHangs_isInterrupted_reported_andTheNextOneRuns() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    CompletableFuture<Boolean> next = new CompletableFuture<>();
    actions(Duration.ofMillis(50))
        .run(
            List.of(
                () -> {
                  try {
                    never.await();
                  } catch (InterruptedException e) {
                    throw new IllegalStateException("interrupted", e);
                  }
                },
                () -> next.complete(Thread.currentThread().isInterrupted())));
    assertThat(next.get(60, TimeUnit.SECONDS)).as("the flag of the next one").isFalse();
    assertThat(List.of(failure(), failure()))
        .containsExactlyInAnyOrder(
            "it has not returned within PT0.05S, and its thread was interrupted", "interrupted");
  }

  @Test
  void actionsThatNeverReturn_areBounded_andThoseThatAreNotCalledAreReported() throws Exception {
    CancelActions actions = actions(Duration.ofHours(1));
    CountDownLatch begun = new CountDownLatch(CancelActions.MAX_RUNNING);
    CountDownLatch end = new CountDownLatch(1);
    for (int i = 0; i < CancelActions.MAX_RUNNING; i++) {
      actions.run(
          List.of(() -> {
            begun.countDown();
            try {
              end.await();
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          }));
    }
    assertThat(begun.await(60, TimeUnit.SECONDS)).isTrue();
    List<String> called = new ArrayList<>();
    actions.run(List.of(() -> called.add("one too many")));
    assertThat(failure()).startsWith("not called: ");
    assertThat(called).isEmpty();
    end.countDown();
    CompletableFuture<Boolean> later = new CompletableFuture<>();
    while (!later.isDone()) { // until a place is free again
      actions.run(List.of(() -> later.complete(true)));
    }
    assertThat(failures).allSatisfy(e -> assertThat(e).hasMessageStartingWith("not called: "));
  }

  @Test
  void withoutAWorker_theActionsAreReported() throws Exception {
    new CancelActions(
            "demo",
            task -> {
              throw new OutOfMemoryError("no thread");
            },
            telemetry)
        .run(List.of(() -> {}));
    assertThat(failure()).isEqualTo("no thread");
  }
}
