// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.lease;

import dev.coxswain.k8s.internal.UserCode;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The threads of an election or a membership. Each repeats a step until all are stopped. They are
 * platform threads: user code can hold all carriers of virtual ones.
 *
 * <p>Steps run user code (credential plug-ins, interceptors): neither its exceptions nor a left-over
 * interrupt end a thread.
 *
 * <p>Thread rule: any thread; nothing blocks. Used once.
 */
public final class LeaseThreads {

  private final String owner;
  private final UserCode userCode;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private long wakeUps; // under the lock
  private boolean stopped; // under the lock
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
      threads.add(Thread.ofPlatform().daemon().name(step.thread).start(() -> repeat(step)));
    }
  }

  /** Takes the next steps now, or after those that are being taken. */
  public void wake() {
    change(false);
  }

  private void change(boolean stop) {
    lock.lock();
    try {
      wakeUps++;
      stopped |= stop;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private long wakeUps() {
    lock.lock();
    try {
      return wakeUps;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends the threads, and then runs {@code ending} on a thread of its own.
   *
   * @return a future that completes afterwards; it does not fail
   */
  public Future<Void> stop(String thread, Ending ending) {
    change(true);
    Promise<Void> done = Promise.promise();
    Thread.ofPlatform()
        .daemon()
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
    long seen;
    do {
      seen = wakeUps(); // a wake-up during the step causes another one
      wait = run(step);
    } while (!awaitStop(wait, seen));
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

  /**
   * Waits for the limit, a wake-up since {@code seen}, or the stop; returns whether it was the stop,
   * which no interrupt decides.
   */
  private boolean awaitStop(Duration limit, long seen) {
    lock.lock();
    try {
      long left = limit.toNanos();
      while (!stopped && wakeUps == seen && left > 0) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      // Left over from user code: the next step is taken early.
    } finally {
      lock.unlock();
    }
    return isStopped();
  }

  private boolean isStopped() {
    lock.lock();
    try {
      return stopped;
    } finally {
      lock.unlock();
    }
  }
}
