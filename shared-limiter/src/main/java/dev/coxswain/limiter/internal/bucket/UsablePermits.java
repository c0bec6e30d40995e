// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.bucket;

import java.nio.ByteBuffer;

/**
 * An upper bound of the permits that were granted and may still be used, whatever the limits were.
 * Counted in two generations: one is dropped as a whole when the last of its permits has expired,
 * and the next takes its place. So a permit is counted until it expires, and not much longer than
 * twice that.
 *
 * <p>Thread rule: one thread.
 */
final class UsablePermits {
  static final int SIZE = 2 * (4 + 8);

  private int older;
  private long olderNanos;
  private int newer;
  private long newerNanos;

  static UsablePermits read(ByteBuffer in) {
    UsablePermits permits = new UsablePermits();
    permits.older = in.getInt();
    permits.olderNanos = in.getLong();
    permits.newer = in.getInt();
    permits.newerNanos = in.getLong();
    return permits;
  }

  ByteBuffer write(ByteBuffer out) {
    return out.putInt(older).putLong(olderNanos).putInt(newer).putLong(newerNanos);
  }

  /** Adds permits of which the last expires in {@code nanos}. */
  void add(int permits, long nanos) {
    newer = sum(newer, permits);
    newerNanos = Math.max(newerNanos, nanos);
    rotate();
  }

  /** Adds those of another bucket. */
  void addAll(UsablePermits other) {
    add(other.count(), other.nanos());
  }

  void pass(long nanos) {
    olderNanos = Math.max(0, olderNanos - nanos);
    newerNanos = Math.max(0, newerNanos - nanos);
    rotate();
  }

  private void rotate() {
    if (olderNanos == 0) {
      older = newerNanos == 0 ? 0 : newer;
      olderNanos = newerNanos;
      newer = 0;
      newerNanos = 0;
    }
  }

  /** Returns how many there are at most. */
  int count() {
    return sum(older, newer);
  }

  /** Returns in how many nanoseconds the last of them expires; 0 when there are none. */
  long nanos() {
    return Math.max(olderNanos, newerNanos);
  }

  private static int sum(int a, int b) {
    return (int) Math.min(Integer.MAX_VALUE, (long) a + b);
  }
}
