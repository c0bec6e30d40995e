// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.bucket;

import java.nio.ByteBuffer;

/**
 * An upper bound of the granted permits that may still be used, under any limits. They are counted
 * in two groups: a group is dropped when the last of its permits has expired, and the newer group
 * takes its place. So a permit is counted until it expires, and for at most about twice its
 * lifetime.
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

  /** Adds permits; the last of them expires in {@code nanos}. */
  void add(int permits, long nanos) {
    newer = sum(newer, permits);
    newerNanos = Math.max(newerNanos, nanos);
    rotate();
  }

  /** Adds the permits of another bucket. */
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

  /** Returns the upper bound. */
  int count() {
    return sum(older, newer);
  }

  /** Returns the time until the last of them expires, in nanoseconds; 0 when there are none. */
  long nanos() {
    return Math.max(olderNanos, newerNanos);
  }

  private static int sum(int a, int b) {
    return (int) Math.min(Integer.MAX_VALUE, (long) a + b);
  }
}
