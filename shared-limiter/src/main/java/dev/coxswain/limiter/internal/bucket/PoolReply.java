// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.bucket;

import dev.coxswain.limiter.RateOverride;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What the owner of a pool answers. Travels as bytes with a version in front.
 *
 * <p>Thread rule: immutable.
 *
 * @param status whether it was done
 * @param granted how many permits were given
 * @param firstDelay when the first of them is good, in nanoseconds from the owner's now; negative
 *     long since. When none was given: when the next one would be
 * @param interval the time from one permit to the next
 * @param horizon how far ahead permits are given
 * @param permitNanos how long each is good for
 * @param slackNanos how much of that is left for the way to the start
 * @param ownerHigh which process answers
 * @param ownerLow which process answers, the other half
 * @param ownerNanos its monotonic clock
 * @param tokens how many permits are there now; negative while promised ahead
 * @param entry the entry that the pool is in
 * @param overrideGeneration counts the changes of the override of that entry
 * @param override what an operator has set, or null
 */
public record PoolReply(
    Status status,
    int granted,
    long firstDelay,
    long interval,
    long horizon,
    long permitNanos,
    long slackNanos,
    long ownerHigh,
    long ownerLow,
    long ownerNanos,
    double tokens,
    EntryId entry,
    int overrideGeneration,
    @Nullable RateOverride override) {
  static final byte VERSION = 2;
  private static final int SIZE = 1 + 1 + 4 + 5 * 8 + 3 * 8 + 8 + EntryId.SIZE + 4 + 8 + 4 + 8;

  /** Whether the owner did what it was asked for. Their numbers travel and never change. */
  public enum Status {
    DONE,
    /** The owner sees less than a majority of the replicas. */
    MINORITY,
    /** The owner does not know the version of the request or of the state. */
    VERSION,
    /** The request makes no sense to the owner. */
    INVALID
  }

  static PoolReply refused(Status status, PoolOwner owner) {
    return new PoolReply(
        status,
        0,
        0,
        0,
        0,
        0,
        0,
        owner.idHigh(),
        owner.idLow(),
        owner.nanos(),
        0,
        EntryId.NONE,
        0,
        null);
  }

  byte[] encode() {
    RateOverride set = override == null ? new RateOverride(0, 0, 0, 0) : override;
    ByteBuffer out =
        ByteBuffer.allocate(SIZE)
            .put(VERSION)
            .put((byte) status.ordinal())
            .putInt(granted)
            .putLong(firstDelay)
            .putLong(interval)
            .putLong(horizon)
            .putLong(permitNanos)
            .putLong(slackNanos)
            .putLong(ownerHigh)
            .putLong(ownerLow)
            .putLong(ownerNanos)
            .putDouble(tokens);
    return entry
        .write(out)
        .putInt(overrideGeneration)
        .putDouble(set.rate())
        .putInt(set.burst())
        .putLong(set.leftNanos())
        .array();
  }

  /** Returns the reply in {@code bytes}, or null when they are of another version. */
  public static @Nullable PoolReply decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (bytes.length != SIZE || in.get() != VERSION) {
      return null;
    }
    int status = in.get();
    if (status < 0 || status >= Status.values().length) {
      return null;
    }
    int granted = in.getInt();
    long firstDelay = in.getLong();
    long interval = in.getLong();
    long horizon = in.getLong();
    long permitNanos = in.getLong();
    long slackNanos = in.getLong();
    long ownerHigh = in.getLong();
    long ownerLow = in.getLong();
    long ownerNanos = in.getLong();
    double tokens = in.getDouble();
    EntryId entry = EntryId.read(in);
    int generation = in.getInt();
    RateOverride set = new RateOverride(generation, in.getDouble(), in.getInt(), in.getLong());
    return new PoolReply(
        Status.values()[status],
        granted,
        firstDelay,
        interval,
        horizon,
        permitNanos,
        slackNanos,
        ownerHigh,
        ownerLow,
        ownerNanos,
        tokens,
        entry,
        generation,
        set.leftNanos() > 0 ? set : null);
  }
}
