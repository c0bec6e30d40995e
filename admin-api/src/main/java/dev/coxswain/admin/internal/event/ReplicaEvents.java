// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import dev.coxswain.admin.internal.peer.PeerAnswer;

/** Delivers the events of one replica to a stream. Confined to the admin event loop. */
interface ReplicaEvents {

  /**
   * Returns the state of the replica for display; it is {@code ok} after the replica has sent its
   * state.
   */
  PeerAnswer answer();

  /** Returns whether the replica has sent its state, or has failed. */
  boolean settled();

  /** Delivers the pending events, while the stream is writable. */
  void proceed();

  /** Delivers nothing until {@link #proceed}; pending events remain at the replica. */
  void pause();

  /** Called at each heartbeat. */
  void tick();

  /** Delivers nothing more. */
  void close();
}
