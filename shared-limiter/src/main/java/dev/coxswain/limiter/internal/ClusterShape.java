// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal;

/**
 * The settings by which each budget is divided; the same on all replicas.
 *
 * <p>Thread rule: immutable.
 *
 * @param maxReplicas how many replicas there can be, from 1 to {@link #MAX_REPLICAS}
 * @param floorShare the share of the rate that belongs to the floors, from 0 (none) to {@link
 *     #MAX_FLOOR_SHARE}
 */
public record ClusterShape(int maxReplicas, double floorShare) {
  /** The largest number of replicas. */
  public static final int MAX_REPLICAS = 100;

  /** The largest share of the floors. */
  public static final double MAX_FLOOR_SHARE = 0.9;

  public ClusterShape {
    if (maxReplicas < 1 || maxReplicas > MAX_REPLICAS) {
      throw new IllegalArgumentException(
          "sharedLimiter.maxReplicas: expected a whole number from 1 to "
              + MAX_REPLICAS
              + ", found "
              + maxReplicas);
    }
    if (!(floorShare >= 0 && floorShare <= MAX_FLOOR_SHARE)) {
      throw new IllegalArgumentException(
          "sharedLimiter.floorShare: expected a number from 0 to "
              + MAX_FLOOR_SHARE
              + ", found "
              + floorShare);
    }
  }
}
