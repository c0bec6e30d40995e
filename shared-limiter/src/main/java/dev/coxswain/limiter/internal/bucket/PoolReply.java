// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.bucket;

import dev.coxswain.limiter.internal.RateOverride;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The reply of the owner of a pool. Encoded as bytes that begin with a version.
 *
 * <p>Thread rule: immutable.
 *
 * @param status whether the request was applied
 * @param granted the number of granted permits
 * @param firstDelay when the first of them is valid, in nanoseconds from the owner's current time;
 *     negative when it already is. If none was granted: when the next one would be
 * @param interval the time from one permit to the next
 * @param horizon how far ahead permits are granted
 * @param permitNanos how long each permit is valid
 * @param slackNanos the part of that which is reserved for the time until the start of the retry
 * @param ownerHigh the id of the replying process, upper half
 * @param ownerLow the lower half of that id
 * @param ownerNanos the time of its monotonic clock
 * @param tokens the number of permits in the pool; negative while some are granted ahead
 * @param entry the identity of the pool's entry
 * @param overrideGeneration the number of changes of the override of that entry
 * @param override the override in force, or null
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

  /** The result of a request. The ordinals are part of the protocol and never change. */
  public enum Status {
    DONE,
    /** The owner has no majority of the replicas. */
    MINORITY,
    /** The owner does not support the version of the request or of the state. */
    VERSION,
    /** The values of the request are out of range. */
    INVALID,
    /** No other member would store the change; so it is for a moment when members join or leave. */
    NO_BACKUP
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
    RateOverride value = override == null ? new RateOverride(0, 0, 0, 0) : override;
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
        .putDouble(value.rate())
        .putInt(value.burst())
        .putLong(value.leftNanos())
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
    RateOverride value = new RateOverride(generation, in.getDouble(), in.getInt(), in.getLong());
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
        value.leftNanos() > 0 ? value : null);
  }
}
