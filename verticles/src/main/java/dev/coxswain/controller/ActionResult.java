// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.view.QueuedItem;
import org.jspecify.annotations.Nullable;

/**
 * The result of an action on one item.
 *
 * <p>Thread rule: immutable.
 */
public sealed interface ActionResult {

  /**
   * The action was done.
   *
   * @param item the item afterwards, or null when it is tracked no more
   */
  record Applied(@Nullable QueuedItem item) implements ActionResult {}

  /**
   * The action changed nothing.
   *
   * @param reason why, one sentence
   * @param item the item as it is
   */
  record Skipped(String reason, QueuedItem item) implements ActionResult {}

  /** The request is not tracked, or the id names no possible request. */
  record NotFound() implements ActionResult {}

  /**
   * The item has changed since the revision of the caller.
   *
   * @param item the item as it is
   */
  record Changed(QueuedItem item) implements ActionResult {}

  /**
   * The controller does not accept this action in its present state.
   *
   * @param reason why, one sentence
   */
  record Refused(String reason) implements ActionResult {}
}
