// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load.controllers;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How long one event loop lets others wait.
 *
 * <p>A look that comes late tells how late by the clock, which counts what the machine and the
 * collector take, too. What the loop itself did meanwhile is the processor time that it has used
 * since the look was due, of which another thread takes a sample every two milliseconds. Some of
 * that is none of its work: when the machine takes a processor away from a thread that is just
 * leaving or entering the kernel's wait for I/O, the time is booked to the thread. So a loop that
 * is found in that wait while its look is overdue is held by the machine, and counted apart.
 *
 * <p>Without a sample, all that it has used since its last look is its own.
 *
 * <p>Thread rule: {@link #look} on the event loop, {@link #sample} on one other thread.
 */
final class LoopWatch {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final long BUDGET_NANOS = 5_000_000;

  private static final long SOON_NANOS = 3_000_000;

  /** A look as late as this is looked into. */
  private static final long SUSPECT_NANOS = 3_000_000;

  /**
   * What another thread saw of the time until a look.
   *
   * @param due which look
   * @param used the processor time of the loop when the look was not due yet, the last such
   * @param idle whether the loop waited for I/O although the look was overdue
   */
  private record Sample(long due, long used, boolean idle) {}

  private final long period;
  private final Seen seen;
  private final LongSupplier clock;
  private final LongSupplier processorTime;
  private final BooleanSupplier waits;
  private volatile long due;
  private volatile long usedAtLook;
  private volatile @Nullable Sample sample;

  LoopWatch(Thread thread, long period, Seen seen) {
    this(
        period,
        seen,
        System::nanoTime,
        () -> THREADS.getThreadCpuTime(thread.threadId()),
        () -> waits(thread));
  }

  LoopWatch(
      long period,
      Seen seen,
      LongSupplier clock,
      LongSupplier processorTime,
      BooleanSupplier waits) {
    this.period = period;
    this.seen = seen;
    this.clock = clock;
    this.processorTime = processorTime;
    this.waits = waits;
    begin();
  }

  /** Says that the loop has come to its look. */
  void look() {
    long late = clock.getAsLong() - due;
    Sample known = sampleOf(due);
    long used = processorTime.getAsLong() - (known == null ? usedAtLook : known.used());
    seen.add(late, Math.min(late, used), known != null && known.idle());
    begin();
  }

  private void begin() {
    usedAtLook = processorTime.getAsLong();
    due = clock.getAsLong() + period;
  }

  /** Takes a sample of the loop. */
  void sample() {
    long next = due;
    long late = clock.getAsLong() - next;
    if (late < -SOON_NANOS) {
      return; // a later sample tells more, and the processor time costs something to ask for
    }
    long used = processorTime.getAsLong();
    Sample known = sampleOf(next);
    if (clock.getAsLong() - next <= 0) {
      sample = new Sample(next, used, false);
    } else if (late > SUSPECT_NANOS && (known == null || !known.idle()) && waits.getAsBoolean()) {
      sample = new Sample(next, known == null ? usedAtLook : known.used(), true);
    }
  }

  private @Nullable Sample sampleOf(long look) {
    Sample last = sample;
    return last != null && last.due() == look ? last : null;
  }

  /** Returns whether a thread is in the system call that waits for I/O. */
  private static boolean waits(Thread thread) {
    StackTraceElement[] stack = thread.getStackTrace();
    return stack.length > 0
        && stack[0].isNativeMethod()
        && stack[0].getClassName().equals("sun.nio.ch.EPoll")
        && stack[0].getMethodName().equals("wait");
  }

  /**
   * What all loops of a process were seen doing.
   *
   * <p>Thread rule: any thread.
   */
  static final class Seen {
    private final AtomicLong longestByClock = new AtomicLong();
    private final AtomicLong longestByWork = new AtomicLong();
    private final LongAdder looks = new LongAdder();
    private final LongAdder overBudget = new LongAdder();
    private final LongAdder heldByMachine = new LongAdder();

    private void add(long late, long work, boolean idle) {
      looks.increment();
      longestByClock.accumulateAndGet(late / 1_000, Math::max);
      if (idle) {
        if (work > BUDGET_NANOS) {
          heldByMachine.increment();
        }
        return;
      }
      longestByWork.accumulateAndGet(work / 1_000, Math::max);
      if (work > BUDGET_NANOS) {
        overBudget.increment();
      }
    }

    /**
     * Tells of the time since it was last asked: the longest by the clock and by own work in
     * microseconds, how often the loops looked, how often own work was longer than five
     * milliseconds, and how often it seemed so and the loop waited for I/O.
     */
    String lineAndReset() {
      return longestByClock.getAndSet(0)
          + " "
          + longestByWork.getAndSet(0)
          + " "
          + looks.sumThenReset()
          + " "
          + overBudget.sumThenReset()
          + " "
          + heldByMachine.sumThenReset();
    }
  }
}
