// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.lease;

import dev.coxswain.k8s.internal.UserCode;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The threads of an election or a membership. Each repeats a step until all are stopped.
 *
 * <p>Steps run user code (credential plug-ins, interceptors): neither its exceptions nor a left-over
 * interrupt end a thread.
 *
 * <p>Thread rule: any thread; nothing blocks. Used once.
 */
public final class LeaseThreads {

  /** More permits than there are threads and waits to end. */
  private static final int ENOUGH = 1 << 20;

  private final String owner;
  private final UserCode userCode;
  private final Semaphore wakeUps = new Semaphore(0);
  private volatile boolean stopped;
  private final List<Thread> threads = new ArrayList<>();
  private boolean used;

  /**
   * A step that is repeated.
   *
   * @param thread the name of its thread
   * @param action the step; returns the delay before the next one
   * @param failure the log message for an exception of the step
   * @param afterFailure the delay before the next step after an exception
   */
  public record Step(
      String thread, Supplier<Duration> action, String failure, Duration afterFailure) {}

  /** The work after the last step. */
  public interface Ending {
    void run() throws InterruptedException;
  }

  /**
   * Creates an owner without threads.
   *
   * @param owner its name in the exception for a second start
   */
  public LeaseThreads(String owner, UserCode userCode) {
    this.owner = owner;
    this.userCode = userCode;
  }

  /** Starts one thread for each step. */
  public synchronized void start(Step... steps) {
    if (used) {
      throw new IllegalStateException(owner + " has been started before");
    }
    used = true;
    for (Step step : steps) {
      threads.add(Thread.ofVirtual().name(step.thread).start(() -> repeat(step)));
    }
  }

  /** Ends the present wait of one thread, so that its next step is taken now. */
  public void wake() {
    wakeUps.release();
  }

  /**
   * Ends the threads, and then runs {@code ending} on a thread of its own.
   *
   * @return a future that completes afterwards; it does not fail
   */
  public Future<Void> stop(String thread, Ending ending) {
    stopped = true;
    wakeUps.release(ENOUGH);
    Promise<Void> done = Promise.promise();
    Thread.ofVirtual()
        .name(thread)
        .start(() -> {
          try {
            for (Thread running : end()) {
              running.join();
            }
            ending.run();
          } catch (Throwable e) {
            userCode.failed("lease could not be released, it expires", null, e);
          } finally {
            done.complete();
          }
        });
    return done.future();
  }

  private synchronized List<Thread> end() {
    used = true;
    return threads;
  }

  private void repeat(Step step) {
    Duration wait;
    do {
      wait = run(step);
    } while (!awaitStop(wait));
  }

  private Duration run(Step step) {
    try {
      return step.action.get();
    } catch (Throwable e) {
      userCode.failed(step.failure, null, e);
      return step.afterFailure;
    } finally {
      userCode.clearInterrupt("request for the lease", null);
    }
  }

  /** Waits; returns whether this was stopped, which no interrupt decides. */
  private boolean awaitStop(Duration limit) {
    try {
      if (!stopped && wakeUps.tryAcquire(limit.toNanos(), TimeUnit.NANOSECONDS) && !stopped) {
        wakeUps.drainPermits();
      }
    } catch (InterruptedException e) {
      return stopped;
    }
    return stopped;
  }
}
