// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

/** What goes wrong, or is done to a replica. */
enum Fault {
  /**
   * A replica may omit anything and may miss responses from now on: a process that crashes, is
   * stopped and continued any number of times, or is cut from the API server.
   */
  SILENCE,
  /** A process ends without a word, and another one starts in its place. */
  RESTART,
  /** A replica begins to leave. */
  LEAVE,
  /** A Lease is deleted. */
  LEASE_DELETION,
  /** The map is deleted. */
  MAP_DELETION,
  /** The API server is out of reach of all replicas for a while. */
  OUTAGE
}
