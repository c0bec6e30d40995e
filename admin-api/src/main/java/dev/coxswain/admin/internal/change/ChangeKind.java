// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.change;

import java.util.Optional;

/** The kinds of changes that can be undone, and why others cannot. */
enum ChangeKind {
  PAUSE,
  CONCURRENCY,
  LIMIT;

  /** Returns the kind of an action; empty for one that cannot be undone. */
  static Optional<ChangeKind> of(String action) {
    return switch (action) {
      case "pause", "resume" -> Optional.of(PAUSE);
      case "setConcurrency" -> Optional.of(CONCURRENCY);
      case "override-limiter", "clear-limiter-override" -> Optional.of(LIMIT);
      default -> Optional.empty();
    };
  }

  /** Returns why an action of another kind cannot be undone. */
  static String whyNot(String action) {
    return switch (action) {
      case "retry", "bulk-retry" -> "A retry cannot be undone: attempts may have started.";
      case "forget", "bulk-forget" -> "Failures that were forgotten are not recorded.";
      case "requeue", "bulk-requeue" -> "The times that the items had before are not recorded.";
      case "enqueue" -> "A request that was added cannot be undone; drop the item instead.";
      case "drop", "flush", "flushhard", "bulk-flush", "bulk-flushhard" ->
          "What was removed from a queue is not recorded; objects come back with their next event.";
      case "stop", "stop-operation" -> "An operation that was stopped does not continue.";
      case "drain", "undrain" -> "A drain is begun and ended by its own actions.";
      case "deploy-plugin", "stop-plugin", "redeploy-plugin" ->
          "A plug-in is deployed and stopped by its own actions.";
      case "reset-slots" -> "The slot map before it is not recorded.";
      default -> "Changes of this kind cannot be undone.";
    };
  }
}
