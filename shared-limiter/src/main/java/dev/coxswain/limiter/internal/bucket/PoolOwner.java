// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.bucket;

/**
 * The process on which the state of a pool is changed, as that state sees it.
 *
 * <p>Thread rule: any thread.
 */
public interface PoolOwner {
  /** Returns one half of what tells this process from all others, never 0 in both halves. */
  long idHigh();

  /** Returns the other half. */
  long idLow();

  /** Returns the monotonic clock of this process. */
  long nanos();

  /**
   * Returns whether this process sees a majority of the replicas.
   *
   * @param liveReplicas how many replicas the one that asks knows of
   */
  boolean hasMajority(int liveReplicas);

  /**
   * Tells that the state of a pool was stored here.
   *
   * @param limiter the name of the limiter
   * @param backup whether another process has changed it and this one keeps its backup
   */
  default void stored(String limiter, boolean backup) {}
}
