// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import dev.coxswain.view.Explanation.Reason;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What keeps a whole controller from its work, the worst first, and what else is to be said of it.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
final class Blockers {
  private final List<String> blocking = new ArrayList<>();
  private final List<String> others = new ArrayList<>();
  private @Nullable Reason reason;

  /** Adds a blocker. */
  void add(Reason why, String text) {
    reason = reason == null ? why : reason;
    blocking.add(text);
  }

  /** Adds a sentence that explains without being the cause. */
  void alsoTrue(String text) {
    others.add(text);
  }

  /** Returns the first blocker, or null when nothing blocks the controller. */
  @Nullable Reason reason() {
    return reason;
  }

  /** Returns the first blocker, or the reason of the item itself. */
  Reason or(Reason ofItem) {
    return reason == null ? ofItem : reason;
  }

  /** Returns the blockers and then a message, in sentences. */
  String before(String message) {
    return blocking.isEmpty() ? message : String.join(" ", blocking) + " " + message;
  }

  /** Returns all sentences. */
  List<String> texts() {
    List<String> all = new ArrayList<>(blocking);
    all.addAll(others);
    return all;
  }
}
