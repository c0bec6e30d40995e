// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import java.util.LinkedHashSet;

/**
 * The items that have left the queue with a terminal failure. They stay in the table, so that they
 * can be found, listed and acted on; with too many, the oldest is evicted.
 *
 * <p>Thread rule: confined to the queue's event loop.
 */
final class TerminalItems<K> {
  /** The most items that are kept: a few megabytes with the longest errors. */
  static final int MAX = 5_000;

  private final ItemTable<K> table;

  /** The oldest first. */
  private final LinkedHashSet<Item<K>> items = new LinkedHashSet<>();

  private long evicted;

  TerminalItems(ItemTable<K> table) {
    this.table = table;
  }

  int size() {
    return items.size();
  }

  /** Returns how many were evicted because there were too many. */
  long evicted() {
    return evicted;
  }

  void add(Item<K> item) {
    if (items.size() == MAX) {
      remove(items.getFirst());
      evicted++;
    }
    table.insert(item);
    items.add(item);
  }

  void remove(Item<K> item) {
    if (items.remove(item)) {
      table.remove(item);
      if (item.detail != null) {
        item.detail.cause(null);
      }
    }
  }
}
