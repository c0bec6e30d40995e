// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.queue;

import dev.coxswain.reconcile.Request;
import java.util.SplittableRandom;

/** The requests that every subject is given. */
final class Keys {
  private static final int NAMESPACES = 100;
  private static final long SEED = 42;

  private Keys() {}

  /** Returns distinct requests whose hash codes have been computed, as after a first lookup. */
  static Request[] requests(int count) {
    String[] namespaces = new String[NAMESPACES];
    for (int i = 0; i < namespaces.length; i++) {
      namespaces[i] = "namespace-" + i;
    }
    Request[] keys = new Request[count];
    for (int i = 0; i < count; i++) {
      keys[i] = Request.of(namespaces[i % NAMESPACES], "object-" + i);
    }
    return keys;
  }

  /** Returns random times in {@code [from, from + span)}, the same ones in every run. */
  static long[] times(int count, long from, long span) {
    SplittableRandom random = new SplittableRandom(SEED);
    long[] times = new long[count];
    for (int i = 0; i < count; i++) {
      times[i] = from + random.nextLong(span);
    }
    return times;
  }
}
