// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.bucket;

/**
 * The process that changes the state of a pool.
 *
 * <p>Thread rule: any thread.
 */
public interface PoolOwner {
  /** Returns the upper half of the unique id of this process. The id is never 0. */
  long idHigh();

  /** Returns the lower half of the id. */
  long idLow();

  /** Returns the time of the monotonic clock of this process. */
  long nanos();

  /**
   * Returns whether this process is connected to a majority of the replicas.
   *
   * @param liveReplicas the number of live replicas by the view of the requesting replica
   */
  boolean hasMajority(int liveReplicas);

  /**
   * Returns whether a change of a pool is stored on another process as well before its reply arrives. A
   * process that the others have expelled, and that does not know it yet, may still count a majority; but
   * then no other process stores what it changes.
   *
   * @param limiter the name of the limiter
   * @param liveReplicas the number of live replicas by the view of the requesting replica; one alone needs
   *     no backup
   */
  boolean hasBackup(String limiter, int liveReplicas);

  /**
   * Called when the state of a pool was stored on this process.
   *
   * @param limiter the name of the limiter
   * @param backup whether it was stored as the backup of another process
   */
  default void stored(String limiter, boolean backup) {}
}
