// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.queue;

import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;

/** An entry of the JDK's delay queue. */
record DelayedKey<K>(K key, long due) implements Delayed {
  @Override
  public long getDelay(TimeUnit unit) {
    return unit.convert(due - System.nanoTime(), TimeUnit.NANOSECONDS);
  }

  @Override
  public int compareTo(Delayed other) {
    return Long.signum(due - ((DelayedKey<?>) other).due);
  }
}
