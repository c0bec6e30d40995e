// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.bucket;

import dev.coxswain.limiter.ClusterShape;
import dev.coxswain.limiter.LimiterSpec;
import dev.coxswain.limiter.RateOverride;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What a replica asks the owner of a pool: for permits, for nothing but a look, or for an override.
 * Travels as bytes with a version in front; whoever does not know the version grants nothing.
 *
 * <p>Thread rule: immutable.
 *
 * @param rate the configured rate
 * @param burst the configured burst
 * @param shape how the budget is divided
 * @param count how many permits are wanted; 0 for a look
 * @param liveReplicas how many replicas the asking one knows of
 * @param coldNanos how much longer than its debt lasts a pool of which nothing is known stays shut
 * @param override what an operator sets, {@code leftNanos} 0 to end it; null to leave it
 * @param held the override that the replica goes by, or null
 */
public record PoolRequest(
    double rate,
    int burst,
    ClusterShape shape,
    int count,
    int liveReplicas,
    long coldNanos,
    @Nullable RateOverride override,
    @Nullable Held held) {
  static final byte VERSION = 2;
  private static final int OVERRIDE = 1 + 8 + 4 + 8;
  private static final int SIZE =
      1 + 8 + 4 + 4 + 8 + 4 + 4 + 8 + OVERRIDE + EntryId.SIZE + OVERRIDE;

  /** Ten years: with more, times could no longer be added. */
  private static final long MAX_COLD_NANOS = 315_360_000_000_000_000L;

  /**
   * An override as a replica has received it.
   *
   * <p>Thread rule: immutable.
   *
   * @param entry the entry that it belongs to
   * @param override what was left of it when the request was made
   */
  public record Held(EntryId entry, RateOverride override) {}

  public PoolRequest {
    coldNanos = Math.clamp(coldNanos, 0, MAX_COLD_NANOS);
  }

  /** Returns the limiter without its ceilings, which are the business of whoever overrides. */
  LimiterSpec spec(String name) {
    return new LimiterSpec(name, rate, burst);
  }

  public byte[] encode() {
    ByteBuffer out =
        ByteBuffer.allocate(SIZE)
            .put(VERSION)
            .putDouble(rate)
            .putInt(burst)
            .putInt(shape.maxReplicas())
            .putDouble(shape.floorShare())
            .putInt(count)
            .putInt(liveReplicas)
            .putLong(coldNanos);
    write(out, override);
    (held == null ? EntryId.NONE : held.entry).write(out);
    write(out, held == null ? null : held.override);
    return out.array();
  }

  private static void write(ByteBuffer out, @Nullable RateOverride override) {
    RateOverride some = override == null ? new RateOverride(0, 0, 0, 0) : override;
    out.put((byte) (override == null ? 0 : 1))
        .putDouble(some.rate())
        .putInt(some.burst())
        .putLong(some.leftNanos());
  }

  private static @Nullable RateOverride readOverride(ByteBuffer in) {
    boolean there = in.get() != 0;
    RateOverride override = new RateOverride(0, in.getDouble(), in.getInt(), in.getLong());
    return there ? override : null;
  }

  /**
   * Returns the request in {@code bytes}, or null when they are of another version.
   *
   * @throws IllegalArgumentException when its values are out of range
   */
  static @Nullable PoolRequest decode(byte[] bytes) {
    ByteBuffer in = ByteBuffer.wrap(bytes);
    if (bytes.length != SIZE || in.get() != VERSION) {
      return null;
    }
    double rate = in.getDouble();
    int burst = in.getInt();
    ClusterShape shape = new ClusterShape(in.getInt(), in.getDouble());
    int count = in.getInt();
    int live = in.getInt();
    long cold = in.getLong();
    RateOverride override = readOverride(in);
    EntryId entry = EntryId.read(in);
    RateOverride known = readOverride(in);
    Held held = known == null ? null : new Held(entry, known);
    return new PoolRequest(rate, burst, shape, count, live, cold, override, held);
  }
}
