// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.view;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One page of a walk over the items of a queue.
 *
 * <p>A walk has a stable order: an item that is tracked for the whole walk is returned exactly once
 * and none is returned twice, whatever else changes meanwhile; an item that is added during the
 * walk may or may not be returned.
 *
 * <p>Thread rule: immutable.
 *
 * @param items the items, at most as many as the requested limit
 * @param next the position of the next page, or null at the end
 * @param lastSeq the youngest sequence number at the time of the page
 */
public record ItemPage(List<QueuedItem> items, @Nullable Cursor next, long lastSeq) {

  public ItemPage {
    items = List.copyOf(items);
  }

  /**
   * A position in a walk.
   *
   * @param hash the mixed hash of the last request seen
   * @param seq the sequence number of the last item seen
   */
  public record Cursor(int hash, long seq) {}
}
