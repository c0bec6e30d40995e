// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.fault;

import dev.coxswain.apiserver.fault.FaultFilter;

/** The parts of a server that a fault plan acts on; confined to the server's event loop. */
public interface FaultTarget {
  /** Ends watches cleanly, {@code limit} at most (0 = all); returns how many. */
  int closeWatches(FaultFilter filter, int limit);

  /** Silences open watches until they are closed, {@code limit} at most (0 = all); returns how many. */
  int silenceWatches(FaultFilter filter, int limit);

  /** Drops the history; if requested, open watches receive an error and end. */
  void compactHistory(boolean expireOpen);

  /** Resets connections, {@code limit} at most (0 = all); returns how many. */
  int cutConnections(int limit);

  /** Closes or reopens the listening socket. */
  void listen(boolean on);

  /** Adds unknown fields to responses, or stops that. */
  void unknownFields(boolean on);

  /** Whether the server has this API group without a custom resource definition. */
  boolean isBuiltin(String group);

  /** The pace of watches or a pause has changed. */
  void watchesChanged();
}
