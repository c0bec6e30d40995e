// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.thread;

import dev.coxswain.spi.ControllerTelemetry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Calls the actions that attempts of one controller have registered for their cancellation. They are
 * user code that may block, so the event loop does not call them: those of one attempt run one after
 * the other on a worker. Each has a time limit, after which its thread is interrupted, and the number
 * of workers is bounded. An action that throws, is late, or cannot be called is reported.
 *
 * <p>Thread rule: any thread.
 */
public final class CancelActions {

  /** The most attempts whose actions run at once; those of others are reported instead. */
  static final int MAX_RUNNING = 64;

  /** The time limit of one action; it is a part of the contract of {@code onCancel}. */
  static final Duration LIMIT = Duration.ofSeconds(10);

  private final String controller;
  private final Executor workers;
  private final ControllerTelemetry telemetry;
  private final Duration limit;
  private final AtomicInteger running = new AtomicInteger();

  /**
   * Creates the actions of a controller.
   *
   * @param workers runs tasks where user code may block
   * @param telemetry receives the reports
   */
  public CancelActions(String controller, Executor workers, ControllerTelemetry telemetry) {
    this(controller, workers, telemetry, LIMIT);
  }

  CancelActions(
      String controller, Executor workers, ControllerTelemetry telemetry, Duration limit) {
    this.controller = controller;
    this.workers = workers;
    this.telemetry = telemetry;
    this.limit = limit;
  }

  /** Calls the actions of one attempt on a worker. Does not block and does not throw. */
  public void run(List<Runnable> actions) {
    if (actions.isEmpty()) {
      return;
    }
    if (running.incrementAndGet() > MAX_RUNNING) {
      running.decrementAndGet();
      report(
          new IllegalStateException(
              "not called: the cancel actions of "
                  + MAX_RUNNING
                  + " earlier attempts have not returned"));
      return;
    }
    try {
      workers.execute(
          () -> UserThreads.run(new UserThreads.Other(controller), () -> call(actions)));
    } catch (Throwable e) { // no thread available
      running.decrementAndGet();
      report(e);
    }
  }

  private void call(List<Runnable> actions) {
    try {
      for (Runnable action : actions) {
        new Call(Thread.currentThread()).run(action);
      }
    } finally {
      running.decrementAndGet();
    }
  }

  private void report(Throwable cause) {
    telemetry.userCodeFailed("cancel action", cause);
  }

  /** The call of one action. */
  private final class Call {

    private final Thread thread;
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private boolean ended;

    Call(Thread thread) {
      this.thread = thread;
    }

    @SuppressWarnings("Interruption") // clears the interrupt that was meant for the action
    void run(Runnable action) {
      CompletableFuture<Void> _ =
          end.orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS)
              .whenComplete((_, late) -> {
                if (late != null) {
                  interrupt();
                }
              });
      try {
        action.run();
      } catch (Throwable e) { // the other actions still run
        report(e);
      } finally {
        synchronized (this) {
          ended = true;
        }
        end.complete(null);
        Thread.interrupted();
      }
    }

    @SuppressWarnings("Interruption") // of an action that is late
    private void interrupt() {
      synchronized (this) {
        if (ended) {
          return;
        }
        thread.interrupt();
      }
      report(
          new IllegalStateException(
              "it has not returned within " + limit + ", and its thread was interrupted"));
    }
  }
}
