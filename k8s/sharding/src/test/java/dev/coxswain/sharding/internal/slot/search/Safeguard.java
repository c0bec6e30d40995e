// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

/** A part of the protocol that a test removes, to show that the search finds what it prevents. */
public enum Safeguard {
  /** An expired Lease is replaced at its observed version before its slots are taken. */
  FENCE,
  /** The guard is checked before each write, not only when an attempt starts. */
  GUARD_OF_WRITES,
  /** The holder stops for the grace before its Lease expires. */
  GRACE,
  /** Each attempt has a guard for its identity and epoch, not one for the replica. */
  GUARD_PER_ATTEMPT,
  /** A slot is handed over only when its writes are answered or too old. */
  UNANSWERED_WRITES,
  /** A missing Lease is an end only after its duration. */
  ABSENT_LEASE,
  /** After a gap between lists the wait for each Lease begins again. */
  GAP
}
