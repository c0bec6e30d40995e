// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import java.util.Map;

/**
 * The progress of a {@link BulkRun}.
 *
 * <p>Thread rule: immutable.
 *
 * @param matched how many items have matched so far
 * @param changed how many of them were changed
 * @param skipped how many were left alone, by reason
 * @param failed how many could not be changed
 * @param relisted how many were added again
 * @param notRelisted how many were not added again because their object is gone
 */
public record BulkProgress(
    int matched,
    int changed,
    Map<String, Integer> skipped,
    int failed,
    int relisted,
    int notRelisted) {

  /** The reason of items whose slot has moved to another replica, or is moving there. */
  public static final String MOVED = "moved to another replica";

  /** Before the first item. */
  public static final BulkProgress NONE = new BulkProgress(0, 0, Map.of(), 0, 0, 0);

  public BulkProgress {
    skipped = Map.copyOf(skipped);
  }

  /** Returns how many of the skipped items have moved to another replica. */
  public int moved() {
    return skipped.getOrDefault(MOVED, 0);
  }

  /** Returns how many items have been processed, with any result. */
  public int done() {
    return changed + failed + skipped.values().stream().mapToInt(Integer::intValue).sum();
  }
}
