// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The state of one pool: how much it has given beyond what has come in since, on the monotonic
 * clock of the process that owns it.
 *
 * <p>Thread rule: one thread.
 */
final class Bucket {
  // The generic cell rate algorithm (ITU-T I.371), relative to now: "debt" is the time after which
  // the bucket would be full again, in units in which each permit takes "interval". debt/interval
  // is
  // therefore the number of permits given and not yet made up for, and a change of the rate keeps
  // that number.
  //
  // Times of another process mean nothing here. Who takes a bucket over assumes that no time has
  // passed since its last change, and who finds none starts with the largest debt there can be: the
  // state that was lost had no more, and with no more debt nothing is granted too early.

  static final byte VERSION = 1;
  static final int SIZE = 1 + 2 * 8 + 2 * 8 + 8 + 8 + 4 + 8 + 4 + 8;

  private long debt;
  private long interval;
  private long ownerHigh;
  private long ownerLow;
  private long ownerNanos;
  private long seq;
  private int overrideGeneration;
  private double overrideRate;
  private int overrideBurst;
  private long overrideLeft;

  private Bucket() {}

  /** Returns the bucket of which nothing is known. */
  static Bucket lost(Shares shares, long coldNanos) {
    Bucket bucket = new Bucket();
    bucket.interval = shares.poolInterval();
    bucket.debt = shares.maxDebt() + coldNanos;
    return bucket;
  }

  /** Returns the bucket in {@code bytes}, or null when they are of another version. */
  static @Nullable Bucket decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (bytes.length != SIZE || in.get() != VERSION) {
      return null;
    }
    Bucket bucket = new Bucket();
    bucket.debt = in.getLong();
    bucket.interval = in.getLong();
    bucket.ownerHigh = in.getLong();
    bucket.ownerLow = in.getLong();
    bucket.ownerNanos = in.getLong();
    bucket.seq = in.getLong();
    bucket.overrideGeneration = in.getInt();
    bucket.overrideRate = in.getDouble();
    bucket.overrideBurst = in.getInt();
    bucket.overrideLeft = in.getLong();
    return bucket;
  }

  byte[] encode() {
    return ByteBuffer.allocate(SIZE)
        .put(VERSION)
        .putLong(debt)
        .putLong(interval)
        .putLong(ownerHigh)
        .putLong(ownerLow)
        .putLong(ownerNanos)
        .putLong(seq)
        .putInt(overrideGeneration)
        .putDouble(overrideRate)
        .putInt(overrideBurst)
        .putLong(overrideLeft)
        .array();
  }

  long debt() {
    return debt;
  }

  long interval() {
    return interval;
  }

  long seq() {
    return seq;
  }

  int overrideGeneration() {
    return overrideGeneration;
  }

  /** Returns what an operator has set, or null. */
  @Nullable RateOverride override() {
    return overrideLeft <= 0
        ? null
        : new RateOverride(overrideGeneration, overrideRate, overrideBurst, overrideLeft);
  }

  /** Sets what an operator wants; zero {@code forNanos} ends it. */
  void override(double rate, int burst, long forNanos) {
    overrideGeneration++;
    overrideRate = rate;
    overrideBurst = burst;
    overrideLeft = forNanos;
  }

  /**
   * Brings the bucket to the present of its owner; must come before everything else.
   *
   * @param baseInterval the interval without an override, for the time after its end
   * @return whether it was of another owner: it must be stored then, or time would never pass
   */
  boolean advance(PoolOwner owner, long baseInterval) {
    long now = owner.nanos();
    boolean same = ownerHigh == owner.idHigh() && ownerLow == owner.idLow();
    long elapsed = same ? Math.max(0, now - ownerNanos) : 0;
    ownerHigh = owner.idHigh();
    ownerLow = owner.idLow();
    ownerNanos = now;
    if (overrideLeft > 0 && elapsed >= overrideLeft) {
      debt = Math.max(0, debt - overrideLeft);
      elapsed -= overrideLeft;
      overrideLeft = 0;
      interval(baseInterval);
    } else if (overrideLeft > 0) {
      overrideLeft -= elapsed;
    }
    debt = Math.max(0, debt - elapsed);
    return !same;
  }

  /**
   * Goes over to another rate. The number of permits owed stays; what came in since the last change
   * has come in at the old rate, which {@link #advance} has seen to.
   */
  void interval(long next) {
    if (next != interval) {
      // Rounded up by more than a double can err, so that rounding can only make it slower.
      debt = debt == 0 ? 0 : (long) Math.ceil((double) debt * next / interval * (1 + 1e-15)) + 1;
      interval = next;
    }
  }

  /** Returns when the next permit would be good, in nanoseconds from now; negative long since. */
  long nextDelay(int capacity) {
    return debt + interval - capacity * interval;
  }

  /**
   * Gives up to {@code wanted} permits, the first at {@link #nextDelay} and the others one interval
   * apart each, as long as they are within the horizon.
   *
   * @return how many
   */
  int grant(int wanted, int capacity, long horizon) {
    long room = horizon - nextDelay(capacity);
    int granted = room < 0 ? 0 : (int) Math.min(wanted, room / interval + 1);
    debt += granted * interval;
    seq += granted;
    return granted;
  }

  /**
   * Returns the state after two parts of a cluster have found together again: the larger debt, of
   * no owner, so that no time is taken to have passed.
   */
  static Bucket merged(Bucket a, Bucket b) {
    boolean more = (double) a.debt / a.interval >= (double) b.debt / b.interval;
    Bucket result = more ? a : b;
    Bucket other = more ? b : a;
    result.ownerHigh = 0;
    result.ownerLow = 0;
    result.seq = Math.max(a.seq, b.seq);
    if (other.overrideGeneration > result.overrideGeneration) {
      result.overrideGeneration = other.overrideGeneration;
      result.overrideRate = other.overrideRate;
      result.overrideBurst = other.overrideBurst;
      result.overrideLeft = other.overrideLeft;
    }
    return result;
  }
}
