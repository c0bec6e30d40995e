// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.bucket;

import dev.coxswain.limiter.internal.BudgetSplit;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.RateOverride;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The state of one pool: how many permits it holds or has granted ahead, by the monotonic clock of
 * the process that owns it.
 *
 * <p>Thread rule: one thread.
 */
public final class Bucket {
  // The generic cell rate algorithm (ITU-T I.371), relative to now: "emptyIn" is the time at which
  // the bucket holds exactly no permit. While it is negative the bucket holds -emptyIn/interval
  // permits. While it is positive, permits have been granted ahead, one interval apart, the last of
  // them at that time.
  //
  // Times of another process are not comparable. A new owner assumes that no time has passed since
  // the last change. An owner that finds no state starts with the largest possible debt: the lost
  // state cannot have had more, so nothing is granted too early.
  //
  // Change of the limits (ADR 0018)
  //
  // The invariant: from a to b at most capacity(a) permits are granted, plus those that are added
  // from a to b at the rates in force. It holds when the bucket never has more than its current
  // capacity and a change of limits adds nothing. So a change keeps the held permits, up to the new
  // capacity.
  //
  // A granted permit cannot be taken back and may be used until it expires. When the rate falls,
  // the old limits hold until then, which the reserve of the old limits covers: emptyIn stays. When
  // the rate rises, the new rate applies at once and the permits granted ahead are charged at it:
  // their number stays. But the reserve of the new limits covers new permits only. So the capacity
  // is reduced by the number of usable old permits until the last of them has expired, and no other
  // change is charged this way until then. If the capacity is too small for that, nothing is
  // granted until then.
  static final byte VERSION = 3;
  static final int SIZE =
      1 + EntryId.SIZE + 4 * 8 + 2 * 4 + UsablePermits.SIZE + 3 * 8 + 4 + 8 + 4 + 8;

  private EntryId entry = EntryId.NONE;
  private long emptyIn;
  private long interval;
  private int capacity;
  private long permitNanos;
  private UsablePermits usable = new UsablePermits();
  private int heldBack;
  private long heldBackFor;
  private long ownerHigh;
  private long ownerLow;
  private long ownerNanos;
  private int overrideGeneration;
  private double overrideRate;
  private int overrideBurst;
  private long overrideLeft;

  private Bucket() {}

  /** Returns a bucket for a pool that has no stored state. */
  public static Bucket lost(EntryId entry, BudgetSplit split, long coldNanos) {
    Bucket bucket = new Bucket();
    bucket.entry = entry;
    bucket.interval = split.poolInterval();
    bucket.capacity = split.capacity();
    bucket.permitNanos = split.permitNanos();
    bucket.emptyIn = split.horizon() + coldNanos;
    bucket.heldBackFor =
        bucket.emptyIn; // not a debt of this bucket: no change of limits shortens it
    return bucket;
  }

  /** Returns the bucket in {@code bytes}, or null when they are of another version. */
  public static @Nullable Bucket decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (bytes.length != SIZE || in.get() != VERSION) {
      return null;
    }
    Bucket bucket = new Bucket();
    bucket.entry = EntryId.read(in);
    bucket.emptyIn = in.getLong();
    bucket.interval = in.getLong();
    bucket.capacity = in.getInt();
    bucket.permitNanos = in.getLong();
    bucket.usable = UsablePermits.read(in);
    bucket.heldBack = in.getInt();
    bucket.heldBackFor = in.getLong();
    bucket.ownerHigh = in.getLong();
    bucket.ownerLow = in.getLong();
    bucket.ownerNanos = in.getLong();
    bucket.overrideGeneration = in.getInt();
    bucket.overrideRate = in.getDouble();
    bucket.overrideBurst = in.getInt();
    bucket.overrideLeft = in.getLong();
    return bucket;
  }

  public byte[] encode() {
    ByteBuffer out =
        entry
            .write(ByteBuffer.allocate(SIZE).put(VERSION))
            .putLong(emptyIn)
            .putLong(interval)
            .putInt(capacity)
            .putLong(permitNanos);
    return usable
        .write(out)
        .putInt(heldBack)
        .putLong(heldBackFor)
        .putLong(ownerHigh)
        .putLong(ownerLow)
        .putLong(ownerNanos)
        .putInt(overrideGeneration)
        .putDouble(overrideRate)
        .putInt(overrideBurst)
        .putLong(overrideLeft)
        .array();
  }

  EntryId entry() {
    return entry;
  }

  /**
   * Returns the time at which the bucket is empty, in nanoseconds from now; negative while it holds
   * permits.
   */
  public long emptyIn() {
    return emptyIn;
  }

  /** Returns the number of permits; negative while some are granted ahead. */
  double tokens() {
    return -(double) emptyIn / interval;
  }

  public int overrideGeneration() {
    return overrideGeneration;
  }

  /** Returns the override in force, or null. */
  public @Nullable RateOverride override() {
    return overrideLeft <= 0
        ? null
        : new RateOverride(overrideGeneration, overrideRate, overrideBurst, overrideLeft);
  }

  /** Sets an override; zero {@code forNanos} ends it. */
  public void override(double rate, int burst, long forNanos) {
    overrideGeneration++;
    overrideRate = rate;
    overrideBurst = burst;
    overrideLeft = forNanos;
  }

  /**
   * Restores an override of a lost entry from the copy of a replica, if it lowers the limits: the
   * loss of an entry must not end such an override, and must never raise the limits. An override
   * that was set or ended since the loss takes precedence.
   *
   * @return whether anything has changed
   */
  boolean restore(EntryId of, RateOverride known, LimiterSpec spec) {
    double rate = Math.min(known.rate(), spec.rate());
    int burst = Math.min(known.burst(), spec.burst());
    boolean slows = rate < spec.rate() || burst < spec.burst();
    if (!slows
        || of.equals(entry)
        || overrideGeneration != 0
        || overrideLeft > 0
        || known.leftNanos() <= 0) {
      return false;
    }
    overrideRate = rate;
    overrideBurst = burst;
    overrideLeft = known.leftNanos();
    return true;
  }

  /**
   * Advances the bucket to the owner's current time; must be called before any other method.
   *
   * @param base the split without an override, for the time after its end
   * @return whether the owner has changed: the bucket must be stored then, or time would never pass
   */
  public boolean advance(PoolOwner owner, BudgetSplit base) {
    long now = owner.nanos();
    boolean same = ownerHigh == owner.idHigh() && ownerLow == owner.idLow();
    long elapsed = same ? Math.max(0, now - ownerNanos) : 0;
    ownerHigh = owner.idHigh();
    ownerLow = owner.idLow();
    ownerNanos = now;
    if (overrideLeft > 0 && elapsed >= overrideLeft) {
      pass(overrideLeft);
      elapsed -= overrideLeft;
      overrideLeft = 0;
      limits(base.poolInterval(), base.capacity(), base.permitNanos());
    } else if (overrideLeft > 0) {
      overrideLeft -= elapsed;
    }
    pass(elapsed);
    return !same;
  }

  /** Lets time pass at the current limits; the bucket fills up to its capacity. */
  private void pass(long nanos) {
    usable.pass(nanos);
    long heldTime = Math.min(nanos, heldBackFor);
    fill(heldTime);
    heldBackFor -= heldTime;
    if (heldBackFor == 0) {
      heldBack = 0;
    }
    fill(nanos - heldTime);
  }

  private void fill(long nanos) {
    long full = -(capacity - heldBack) * interval;
    emptyIn = emptyIn - full <= nanos ? full : emptyIn - nanos;
  }

  /**
   * Changes the limits. {@link #advance} has already added the permits of the time until now at the
   * old rate.
   */
  void limits(long nextInterval, int nextCapacity, long nextPermitNanos) {
    if (nextInterval == interval && nextCapacity == capacity && nextPermitNanos == permitNanos) {
      return;
    }
    if (nextInterval >= interval) {
      heldBack = Math.min(heldBack, nextCapacity);
    } else if (usable.count() < nextCapacity) {
      if (emptyIn > 0 && heldBackFor == 0) {
        emptyIn = (long) Math.ceil((double) emptyIn * nextInterval / interval * (1 + 1e-15));
      }
      heldBack = usable.count();
    } else {
      emptyIn = Math.max(emptyIn, usable.nanos());
      heldBack = 0;
    }
    heldBackFor = Math.max(heldBackFor, usable.nanos());
    if (emptyIn < 0) {
      // Rounded down by more than the error of a double: a change never adds a permit.
      double kept = Math.min(nextCapacity - heldBack, tokens());
      emptyIn = -Math.max(0, (long) (kept * nextInterval * (1 - 1e-15)) - 1);
    }
    interval = nextInterval;
    capacity = nextCapacity;
    permitNanos = nextPermitNanos;
  }

  /**
   * Returns when the next permit would be valid, in nanoseconds from now; negative when it already
   * is.
   */
  long nextDelay() {
    return emptyIn + interval;
  }

  /**
   * Grants up to {@code wanted} permits within the horizon, the first at {@link #nextDelay} and the
   * others one interval apart.
   *
   * @return the number of granted permits
   */
  int grant(int wanted, long horizon) {
    long room = horizon - nextDelay();
    int granted = room < 0 ? 0 : (int) Math.min(wanted, room / interval + 1);
    emptyIn += granted * interval;
    if (granted > 0) {
      usable.add(granted, Math.max(0, emptyIn) + permitNanos);
    }
    return granted;
  }

  /**
   * Returns the state after two parts of a cluster have merged: the smaller number of permits, and
   * no owner, so that no time is assumed to have passed. For two states of one entry the later
   * override is used; for two entries the lower limits, because their order is unknown.
   */
  public static Bucket merged(Bucket a, Bucket b) {
    boolean first;
    if (a.entry.equals(b.entry) && a.overrideGeneration != b.overrideGeneration) {
      first = a.overrideGeneration > b.overrideGeneration;
    } else if (a.interval != b.interval) {
      first = a.interval > b.interval;
    } else {
      first = a.capacity <= b.capacity;
    }
    Bucket result = first ? a : b;
    Bucket other = first ? b : a;
    other.limits(result.interval, result.capacity, result.permitNanos);
    result.emptyIn = Math.max(result.emptyIn, other.emptyIn);
    result.heldBack = Math.max(result.heldBack, other.heldBack);
    // It is not stored how much of the debt is granted permits: no change of limits shortens it.
    result.heldBackFor = Math.max(Math.max(result.heldBackFor, other.heldBackFor), result.emptyIn);
    result.usable.addAll(other.usable);
    result.emptyIn =
        Math.max(result.emptyIn, -(result.capacity - result.heldBack) * result.interval);
    result.ownerHigh = 0;
    result.ownerLow = 0;
    result.overrideGeneration = Math.max(a.overrideGeneration, b.overrideGeneration);
    return result;
  }
}
