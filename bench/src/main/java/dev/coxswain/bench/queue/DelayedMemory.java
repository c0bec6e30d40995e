// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.queue;

import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.process.Machine;
import java.lang.ref.Reference;
import java.util.concurrent.TimeUnit;

/**
 * The heap of a delayed request besides the request itself. A process of its own for each
 * figure: {@code DelayedMemory <subject> <items>} prints one line.
 */
final class DelayedMemory {
  private DelayedMemory() {}

  /** Prints the retained bytes for each item. */
  public static void main(String[] args) {
    System.out.println(bytesPerItem(args[0], Integer.parseInt(args[1])));
  }

  static double bytesPerItem(String subject, int items) {
    Request[] requests = Keys.requests(items);
    long[] delays = Keys.times(items, TimeUnit.HOURS.toNanos(1), TimeUnit.HOURS.toNanos(1));
    // A first one brings in whatever the subject initialises once.
    try (Delays<Request> first = Delays.bare(subject, true)) {
      first.addAfter(requests[0], delays[0]);
    }
    long before = Machine.usedAfterCollection();
    Delays<Request> queue = Delays.bare(subject, true);
    try {
      for (int i = 0; i < items; i++) {
        queue.addAfter(requests[i], delays[i]);
      }
      if (queue.size() != items) {
        throw new IllegalStateException(subject + " kept " + queue.size() + " of " + items);
      }
      return (double) (Machine.usedAfterCollection() - before) / items;
    } finally {
      queue.close();
      Reference.reachabilityFence(requests);
      Reference.reachabilityFence(delays);
    }
  }
}
