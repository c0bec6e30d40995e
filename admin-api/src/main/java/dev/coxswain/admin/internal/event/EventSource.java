// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import dev.coxswain.admin.internal.peer.PeerAnswer;

/** Where a stream has the events of one replica from. Confined to the admin event loop. */
interface EventSource {

  /** Returns whether the replica is heard; it is, once it has told its state. */
  PeerAnswer answer();

  /** Returns whether it has told its state, or why it does not. */
  boolean settled();

  /** Hands over what there is, as long as the stream takes it. */
  void proceed();

  /** Hands over nothing more until it may proceed; what waits meanwhile waits at the replica. */
  void pause();

  /** A heartbeat has passed. */
  void tick();

  /** Hands over nothing more. */
  void close();
}
