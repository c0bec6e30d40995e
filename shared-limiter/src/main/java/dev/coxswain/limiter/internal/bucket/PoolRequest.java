// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.bucket;

import dev.coxswain.limiter.internal.ClusterShape;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.RateOverride;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A request of a replica to the owner of a pool: for permits, for the state only, or to set an
 * override. Encoded as bytes that begin with a version; an owner that does not support the version
 * grants nothing.
 *
 * <p>Thread rule: immutable.
 *
 * @param rate the configured rate
 * @param burst the configured burst
 * @param shape how the budget is divided
 * @param count the number of requested permits; 0 to read the state
 * @param liveReplicas the number of live replicas by the view of the requesting replica
 * @param coldNanos how long a pool without stored state grants nothing, in addition to its debt
 * @param override the override to set, with {@code leftNanos} 0 to end the current one; null for no
 *     change
 * @param held the override that the replica applies, or null
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

  /** Ten years: sums of times stay far from an overflow. */
  private static final long MAX_COLD_NANOS = 315_360_000_000_000_000L;

  /**
   * An override as a replica has received it.
   *
   * <p>Thread rule: immutable.
   *
   * @param entry the entry that the override belongs to
   * @param override the override, with its remaining duration when the request was made
   */
  public record Held(EntryId entry, RateOverride override) {}

  public PoolRequest {
    coldNanos = Math.clamp(coldNanos, 0, MAX_COLD_NANOS);
  }

  /** Returns the limiter without its ceilings, which the replica has checked. */
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
    RateOverride value = override == null ? new RateOverride(0, 0, 0, 0) : override;
    out.put((byte) (override == null ? 0 : 1))
        .putDouble(value.rate())
        .putInt(value.burst())
        .putLong(value.leftNanos());
  }

  private static @Nullable RateOverride readOverride(ByteBuffer in) {
    boolean present = in.get() != 0;
    RateOverride override = new RateOverride(0, in.getDouble(), in.getInt(), in.getLong());
    return present ? override : null;
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
