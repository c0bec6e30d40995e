// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

/** The right of one replica to own slots. */
public enum ReplicaPhase {
  /** It has no Lease yet. */
  JOINING,
  /** It holds its Lease, and its write deadline is open. */
  HOLDING,
  /**
   * Its write deadline has passed, and its Lease is not known to be lost: the first successful
   * renewal reopens the same slots with the same epochs.
   */
  SUSPENDED,
  /** Its Lease is lost: its identity has ended, and it needs another one. */
  LOST,
  /** It hands its slots over and gets no others. */
  LEAVING,
  /** It has left. */
  ENDED
}
