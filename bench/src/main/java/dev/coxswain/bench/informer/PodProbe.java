// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.informer;

import com.sun.management.ThreadMXBean;
import dev.coxswain.testing.process.Machine;
import dev.coxswain.testing.report.RecordCodec;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures one subject in this process: {@code PodProbe <class of the subject> <url> <pods>} prints
 * one line. Depends on nothing but the JDK.
 */
public final class PodProbe {
  private static final long LIMIT_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final long LOOK_AGAIN_NANOS = 200_000;
  private static final int WARM_UPS = 3;

  private record Fill(double millis, double cpuMillis, double bytes) {}

  private PodProbe() {}

  public static void main(String[] args) throws ReflectiveOperationException {
    System.out.println(RecordCodec.line(measure(args[0], args[1], Integer.parseInt(args[2]))));
    System.exit(0); // whatever threads a subject has left behind
  }

  private static PodReport measure(String subject, String url, int pods)
      throws ReflectiveOperationException {
    long before = Machine.usedAfterCollection();
    PodSubject first = create(subject);
    Fill cold = fill(first, url, pods);
    double retained = Machine.usedAfterCollection() - before;
    if (first.size() != pods) {
      throw new IllegalStateException(subject + " holds " + first.size() + " of " + pods);
    }
    first.close();
    Fill warm = cold;
    for (int i = 0; i < WARM_UPS; i++) {
      PodSubject next = create(subject);
      warm = fill(next, url, pods);
      next.close();
      System.gc();
    }
    return new PodReport(
        cold.millis, cold.cpuMillis, warm.millis, warm.cpuMillis, warm.bytes, retained);
  }

  private static PodSubject create(String subject) throws ReflectiveOperationException {
    var constructor = Class.forName(subject).asSubclass(PodSubject.class).getDeclaredConstructor();
    constructor.setAccessible(true);
    return constructor.newInstance();
  }

  private static Fill fill(PodSubject subject, String url, int pods) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    AtomicInteger received = new AtomicInteger();
    long bytes = threads.getTotalThreadAllocatedBytes();
    long cpu = Machine.cpuNanos();
    long begin = System.nanoTime();
    subject.start(url, received::incrementAndGet);
    while (received.get() < pods || !subject.synced()) {
      if (System.nanoTime() - begin > LIMIT_NANOS) {
        throw new IllegalStateException("a handler received " + received + " of " + pods);
      }
      LockSupport.parkNanos(LOOK_AGAIN_NANOS);
    }
    return new Fill(
        (System.nanoTime() - begin) / 1e6,
        (Machine.cpuNanos() - cpu) / 1e6,
        threads.getTotalThreadAllocatedBytes() - bytes);
  }
}
