// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin.controllers;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The time that one event loop lets others wait.
 *
 * <p>A look that comes late measures the delay by the clock, which includes the time of the machine and of the collector. The work of the loop itself is the processor time that it has used
 * since the look was due, of which another thread takes a sample every two milliseconds. Some of
 * that is none of its work: when the machine takes a processor away from a thread that is just
 * leaving or entering the kernel's wait for I/O, the time is booked to the thread. So a loop that
 * is found in that wait while its look is overdue is held by the machine, and counted apart.
 *
 * <p>A collection of garbage stops the loop and the sampling alike, so samples are taken all the
 * time: without one shortly before the collection, all that the loop did since its last look would
 * seem to have kept the next one waiting.
 *
 * <p>A sample bounds that work from above, whenever it is taken: one from before the look was due
 * by all that the loop has used since then, and one from t milliseconds after it by what it has
 * used since then and t, because a thread cannot use more processor time than there is. The least
 * of all bounds counts. Without a sample, all that it has used since its last look is its own.
 *
 * <p>Thread rule: {@link #look} on the event loop, {@link #sample} on one other thread.
 */
final class LoopWatch {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final long BUDGET_NANOS = 5_000_000;

  /** A look as late as this is looked into. */
  private static final long SUSPECT_NANOS = 3_000_000;

  private static final int MAX_FRAMES = 40;
  private static final int SHOWN_FRAMES = 4;
  private static final int MAX_HELD = 100;

  /**
   * A sample of the time until a look, by another thread.
   *
   * @param due which look
   * @param used what the loop had used at least when the look was due, in processor time
   * @param stack what the loop did when the look was overdue; empty when it was not seen so
   */
  private record Sample(long due, long used, List<StackTraceElement> stack) {

    /** Returns this with what else was seen. */
    Sample and(long known, List<StackTraceElement> seen) {
      return new Sample(due, Math.max(used, known), stack.isEmpty() ? seen : stack);
    }

    /** Returns whether the loop waited for I/O although the look was overdue. */
    boolean idle() {
      return !stack.isEmpty()
          && stack.getFirst().isNativeMethod()
          && stack.getFirst().getClassName().equals("sun.nio.ch.EPoll")
          && stack.getFirst().getMethodName().equals("wait");
    }
  }

  private final long period;
  private final Seen seen;
  private final LongSupplier clock;
  private final LongSupplier processorTime;
  private final Supplier<StackTraceElement[]> stack;
  private volatile long due;
  private volatile long usedAtLook;
  private volatile @Nullable Sample sample;

  LoopWatch(Thread thread, long period, Seen seen) {
    this(
        period,
        seen,
        System::nanoTime,
        () -> THREADS.getThreadCpuTime(thread.threadId()),
        thread::getStackTrace);
  }

  LoopWatch(
      long period,
      Seen seen,
      LongSupplier clock,
      LongSupplier processorTime,
      Supplier<StackTraceElement[]> stack) {
    this.period = period;
    this.seen = seen;
    this.clock = clock;
    this.processorTime = processorTime;
    this.stack = stack;
    begin();
  }

  /** Called by the loop at its look. */
  void look() {
    long now = clock.getAsLong();
    Sample known = sampleOf(due);
    long used = processorTime.getAsLong() - (known == null ? usedAtLook : known.used());
    seen.add(due, now, Math.min(now - due, used), known);
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
    Sample known = sampleOf(next);
    if (known == null) {
      known = new Sample(next, usedAtLook, List.of());
    }
    long used = processorTime.getAsLong();
    used -= Math.max(0, clock.getAsLong() - next); // read after it, so that it is no less
    boolean suspect = late > SUSPECT_NANOS && known.stack().isEmpty();
    sample =
        known.and(
            used, suspect ? Arrays.stream(stack.get()).limit(MAX_FRAMES).toList() : List.of());
  }

  private @Nullable Sample sampleOf(long look) {
    Sample last = sample;
    return last != null && last.due() == look ? last : null;
  }

  /**
   * The figures of all loops of a process.
   *
   * <p>Thread rule: any thread.
   */
  static final class Seen {
    private final AtomicLong longestByClock = new AtomicLong();
    private final AtomicLong longestByWork = new AtomicLong();
    private final LongAdder looks = new LongAdder();
    private final LongAdder overBudget = new LongAdder();
    private final LongAdder heldByMachine = new LongAdder();
    private final ConcurrentLinkedQueue<String> held = new ConcurrentLinkedQueue<>();

    private void add(long due, long now, long work, @Nullable Sample sample) {
      long late = now - due;
      looks.increment();
      longestByClock.accumulateAndGet(late / 1_000, Math::max);
      boolean tooLong = work > BUDGET_NANOS;
      if (sample != null && sample.idle()) {
        if (tooLong) {
          heldByMachine.increment();
        }
        return;
      }
      if (tooLong) {
        overBudget.increment();
      }
      longestByWork.accumulateAndGet(work / 1_000, Math::max);
      if (tooLong && held.size() < MAX_HELD) {
        held.add(
            String.format(
                Locale.ROOT,
                "%.1f ms of work, %.1f ms late: %s",
                work / 1e6,
                late / 1e6,
                sample == null || sample.stack().isEmpty()
                    ? "not sampled"
                    : shown(sample.stack())));
      }
    }

    /** Shows the frames of this project, or those on top when there are none. */
    private static String shown(List<StackTraceElement> stack) {
      List<StackTraceElement> ours =
          stack.stream().filter(frame -> frame.getClassName().startsWith("dev.coxswain")).toList();
      return (ours.isEmpty() ? stack : ours)
          .stream()
              .limit(SHOWN_FRAMES)
              .map(frame ->
                  frame.getClassName().substring(frame.getClassName().lastIndexOf('.') + 1)
                      + "."
                      + frame.getMethodName()
                      + ":"
                      + frame.getLineNumber())
              .collect(Collectors.joining(" < "));
    }

    /**
     * Returns the figures since the last call: the longest by the clock and by own work in microseconds, how often the
     * loops looked, how often own work was longer than five milliseconds, how often it seemed so and the loop waited
     * for I/O; then each time that own work was longer, in words after a bar.
     */
    String lineAndReset() {
      StringBuilder line = new StringBuilder();
      line.append(longestByClock.getAndSet(0)).append(' ').append(longestByWork.getAndSet(0));
      for (LongAdder count : List.of(looks, overBudget, heldByMachine)) {
        line.append(' ').append(count.sumThenReset());
      }
      for (String one = held.poll(); one != null; one = held.poll()) {
        line.append('|').append(one);
      }
      return line.toString();
    }
  }
}
