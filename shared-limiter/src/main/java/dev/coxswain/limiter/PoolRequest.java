// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter;

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
 */
record PoolRequest(
    double rate,
    int burst,
    ClusterShape shape,
    int count,
    int liveReplicas,
    long coldNanos,
    @Nullable RateOverride override) {
  static final byte VERSION = 1;
  private static final int SIZE = 1 + 8 + 4 + 4 + 8 + 4 + 4 + 8 + 1 + 8 + 4 + 8;

  /** Returns the limiter without its ceilings, which are the business of whoever overrides. */
  LimiterSpec spec(String name) {
    return new LimiterSpec(name, rate, burst);
  }

  byte[] encode() {
    RateOverride set = override == null ? new RateOverride(0, 0, 0, 0) : override;
    return ByteBuffer.allocate(SIZE)
        .put(VERSION)
        .putDouble(rate)
        .putInt(burst)
        .putInt(shape.maxReplicas())
        .putDouble(shape.floorShare())
        .putInt(count)
        .putInt(liveReplicas)
        .putLong(coldNanos)
        .put((byte) (override == null ? 0 : 1))
        .putDouble(set.rate())
        .putInt(set.burst())
        .putLong(set.leftNanos())
        .array();
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
    boolean overrides = in.get() != 0;
    RateOverride override = new RateOverride(0, in.getDouble(), in.getInt(), in.getLong());
    return new PoolRequest(rate, burst, shape, count, live, cold, overrides ? override : null);
  }
}
