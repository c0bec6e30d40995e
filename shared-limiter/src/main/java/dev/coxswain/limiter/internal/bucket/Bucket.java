// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.bucket;

import dev.coxswain.limiter.BudgetSplit;
import dev.coxswain.limiter.LimiterSpec;
import dev.coxswain.limiter.RateOverride;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The state of one pool: how many permits it holds or has promised ahead, on the monotonic clock of
 * the process that owns it.
 *
 * <p>Thread rule: one thread.
 */
public final class Bucket {
  // The generic cell rate algorithm (ITU-T I.371), relative to now: "emptyIn" is the time at which
  // the bucket holds exactly no permit. While it is negative the bucket holds -emptyIn/interval
  // permits; while it is positive, permits have been promised ahead, one interval apart each, the
  // last of them at that time.
  //
  // Times of another process mean nothing here. The next owner of a bucket assumes that no time has
  // passed since its last change, and an owner that finds none starts with the largest debt there
  // can be: the state that was lost had no more, and with no more debt nothing is granted too
  // early.
  //
  // Change of the limits (decision 0018)
  //
  // The promise: from a to b at most capacity(a) permits, and what comes in from a to b at the rate
  // of each moment. A bucket keeps it when it never holds more than the capacity of the moment, and
  // a change adds nothing; and no bucket that keeps it can hold more. So a change keeps the permits
  // that are held, as far as the new capacity has room for them.
  //
  // A permit that was granted cannot be taken back, and it may be used until its life ends. When
  // the rate falls, the old limits hold until then, which is what the reserve of the old limits is
  // for: emptyIn stays. When the rate rises, the new one comes in at once, and what was promised is
  // paid from it: the number stays. But the reserve of the new limits is for the lives of new
  // permits alone. So the capacity lacks the number of the permits that may still be used until the
  // last of them cannot, and until then no other change is paid so. When it has no room for them,
  // nothing is granted until then.
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

  /** Returns the bucket of which nothing is known. */
  public static Bucket lost(EntryId entry, BudgetSplit shares, long coldNanos) {
    Bucket bucket = new Bucket();
    bucket.entry = entry;
    bucket.interval = shares.poolInterval();
    bucket.capacity = shares.capacity();
    bucket.permitNanos = shares.permitNanos();
    bucket.emptyIn = shares.horizon() + coldNanos;
    bucket.heldBackFor = bucket.emptyIn; // it is no promise of this bucket: no change shortens it
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

  /** Returns when the bucket holds no permit, in nanoseconds from now; negative while it does. */
  public long emptyIn() {
    return emptyIn;
  }

  /** Returns how many permits there are; negative while some are promised ahead. */
  double tokens() {
    return -(double) emptyIn / interval;
  }

  public int overrideGeneration() {
    return overrideGeneration;
  }

  /** Returns what an operator has set, or null. */
  public @Nullable RateOverride override() {
    return overrideLeft <= 0
        ? null
        : new RateOverride(overrideGeneration, overrideRate, overrideBurst, overrideLeft);
  }

  /** Sets what an operator wants; zero {@code forNanos} ends it. */
  public void override(double rate, int burst, long forNanos) {
    overrideGeneration++;
    overrideRate = rate;
    overrideBurst = burst;
    overrideLeft = forNanos;
  }

  /**
   * Takes over what a replica knows of an override of the entry that was here before this one, as
   * far as it slows down: a loss must not end it, and must never speed up. What an operator has set
   * or ended since counts alone.
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
   * Brings the bucket to the present of its owner; must come before everything else.
   *
   * @param base the shares without an override, for the time after its end
   * @return whether it was of another owner: it must be stored then, or time would never pass
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

  /** Lets time pass at the limits that hold; the bucket fills up to what it may hold. */
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
   * Goes over to other limits. What came in since the last change has come in at the old ones,
   * which {@link #advance} has seen to.
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
      // Rounded down by more than a double can err: a change may lose a trace and never adds one.
      double kept = Math.min(nextCapacity - heldBack, tokens());
      emptyIn = -Math.max(0, (long) (kept * nextInterval * (1 - 1e-15)) - 1);
    }
    interval = nextInterval;
    capacity = nextCapacity;
    permitNanos = nextPermitNanos;
  }

  /** Returns when the next permit would be good, in nanoseconds from now; negative long since. */
  long nextDelay() {
    return emptyIn + interval;
  }

  /**
   * Gives up to {@code wanted} permits, the first at {@link #nextDelay} and the others one interval
   * apart each, as long as they are within the horizon.
   *
   * @return how many
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
   * Returns the state after two parts of a cluster have found together again: what holds less, of
   * no owner, so that no time is taken to have passed. Of two states of one entry the later
   * override counts; of two entries the slower limits, since nothing says which are newer.
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
    // How much of the time is promised, and by which of them, is not stored: no change shortens it.
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
