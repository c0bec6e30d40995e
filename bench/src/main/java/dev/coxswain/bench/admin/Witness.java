// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import dev.coxswain.bench.admin.controllers.SystemThreads;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * Records when the machine below a virtual one takes a processor away: a thread on each processor, of
 * a real-time priority (SCHED_FIFO) that goes before all others here, wants to run each
 * millisecond. When it comes more than a millisecond late, no other thread has run there meanwhile,
 * but for one inside a part of the kernel that cannot be interrupted, which looks the same. When
 * this process was collecting garbage, which delays the thread as well, nothing is noted. What the
 * system counts as stolen has no such times.
 *
 * <p>Needs {@code chrt} and {@code taskset} (util-linux) and the right to use them; without it
 * nothing is seen and {@link #remark} has the reason.
 *
 * <p>Thread rule: one thread; {@link #gaps} any.
 */
final class Witness implements AutoCloseable {
  private static final long PERIOD_NANOS = 1_000_000;
  private static final long LATE_NANOS = 1_000_000;
  private static final String NAME = "witness-";
  private static final int PRIORITY = 10;

  private final Gaps gaps;
  private final List<Thread> threads = new ArrayList<>();
  private final CountDownLatch running;
  private volatile boolean sees;
  private volatile boolean closed;
  private String remark = "";

  private Witness(int processors) {
    gaps = new Gaps(processors);
    running = new CountDownLatch(processors);
  }

  static Witness start() {
    int processors = Runtime.getRuntime().availableProcessors();
    Witness witness = new Witness(processors);
    for (int i = 0; i < processors; i++) {
      int processor = i;
      witness.threads.add(
          Thread.ofPlatform()
              .daemon()
              .name(NAME + processor)
              .start(() -> witness.watch(processor)));
    }
    try {
      witness.promote();
      witness.sees = true;
      witness.remark =
          "when the machine takes one of the " + processors + " processors is seen on each of them";
    } catch (IOException e) {
      witness.close();
      witness.remark = "when the machine takes a processor is not seen: " + e.getMessage();
    }
    return witness;
  }

  /** Returns in words whether it sees anything. */
  String remark() {
    return remark;
  }

  Gaps gaps() {
    return gaps;
  }

  @Override
  public void close() {
    closed = true;
    threads.forEach(LockSupport::unpark);
  }

  private void watch(int processor) {
    running.countDown();
    List<GarbageCollectorMXBean> collectors = ManagementFactory.getGarbageCollectorMXBeans();
    long collections = count(collectors);
    long due = System.nanoTime() + PERIOD_NANOS;
    while (!closed) {
      LockSupport.parkNanos(PERIOD_NANOS);
      long now = System.nanoTime();
      long collected = count(collectors);
      if (sees && now - due > LATE_NANOS && collected == collections) {
        gaps.add(processor, due, now);
      }
      collections = collected;
      due = System.nanoTime() + PERIOD_NANOS;
    }
  }

  private static long count(List<GarbageCollectorMXBean> collectors) {
    long count = 0;
    for (GarbageCollectorMXBean collector : collectors) {
      count += collector.getCollectionCount();
    }
    return count;
  }

  /** Gives each thread its processor and its priority, by the names in the system. */
  private void promote() throws IOException {
    try {
      running.await(); // from then on the system has their names
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    Map<String, String> found = SystemThreads.named(NAME);
    for (Map.Entry<String, String> thread : found.entrySet()) {
      int processor = Integer.parseInt(thread.getKey().substring(NAME.length()));
      SystemThreads.pin(thread.getValue(), processor);
      SystemThreads.promote(thread.getValue(), PRIORITY);
    }
    if (found.size() < threads.size()) {
      throw new IOException(
          "the system shows " + found.size() + " of " + threads.size() + " threads");
    }
  }
}
