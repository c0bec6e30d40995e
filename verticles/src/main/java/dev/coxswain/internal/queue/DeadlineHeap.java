// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The delayed items, the one that is due first on top; equal times in the order in which they were
 * scheduled. A four-ary heap in which every item stores its index, so that any of them can be moved
 * or removed in logarithmic time.
 *
 * <p>Thread rule: confined to the queue's event loop.
 */
final class DeadlineHeap<K> {
  private static final int MIN_CAPACITY = 16;

  private @Nullable Item<K>[] items = array(MIN_CAPACITY);
  private int size;

  @SuppressWarnings({
    "unchecked",
    "rawtypes"
  }) // an array of a generic type cannot be made otherwise
  private static <K> @Nullable Item<K>[] array(int capacity) {
    return new Item[capacity];
  }

  int size() {
    return size;
  }

  @Nullable Item<K> peek() {
    return items[0];
  }

  void add(Item<K> item) {
    if (size == items.length) {
      // Half again, not double: at a million items the slack is expensive.
      items = Arrays.copyOf(items, size + (size >> 1));
    }
    siftUp(size++, item);
  }

  void remove(Item<K> item) {
    int hole = item.index;
    Item<K> last = at(--size);
    items[size] = null;
    if (last != item) {
      if (hole > 0 && before(last, at((hole - 1) >> 2))) {
        siftUp(hole, last);
      } else {
        siftDown(hole, last);
      }
    }
    if (items.length > MIN_CAPACITY && size < items.length >> 2) {
      items = Arrays.copyOf(items, Math.max(MIN_CAPACITY, items.length >> 1));
    }
  }

  private void siftUp(int start, Item<K> item) {
    int i = start;
    while (i > 0) {
      int parent = (i - 1) >> 2;
      Item<K> above = at(parent);
      if (!before(item, above)) {
        break;
      }
      put(i, above);
      i = parent;
    }
    put(i, item);
  }

  private void siftDown(int start, Item<K> item) {
    int i = start;
    while (true) {
      int first = (i << 2) + 1;
      if (first >= size) {
        break;
      }
      int least = first;
      int end = Math.min(first + 4, size);
      for (int child = first + 1; child < end; child++) {
        if (before(at(child), at(least))) {
          least = child;
        }
      }
      if (!before(at(least), item)) {
        break;
      }
      put(i, at(least));
      i = least;
    }
    put(i, item);
  }

  private void put(int i, Item<K> item) {
    items[i] = item;
    item.index = i;
  }

  private Item<K> at(int i) {
    Item<K> item = items[i];
    if (item == null) {
      throw new IllegalStateException("the heap has a hole at " + i);
    }
    return item;
  }

  private static boolean before(Item<?> a, Item<?> b) {
    // Differences, not values: both clocks and stamps may wrap.
    long byTime = a.time - b.time;
    return byTime != 0 ? byTime < 0 : a.order - b.order < 0;
  }
}
