// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import org.jspecify.annotations.Nullable;

/**
 * A ring buffer of items: first in, first out, in a reused array; an item stores its position and
 * can be removed in constant time.
 *
 * <p>Thread rule: confined to the queue's event loop.
 */
final class ItemRing<K> {
  private static final int MIN_CAPACITY = 8;

  private @Nullable Item<K>[] items = array(MIN_CAPACITY);

  /** Positions grow forever and wrap; the array is indexed with their low bits. */
  private int head;

  private int tail;
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

  void add(Item<K> item) {
    if (tail - head == items.length) {
      makeRoom();
    }
    item.index = tail;
    items[tail & (items.length - 1)] = item;
    tail++;
    size++;
  }

  @Nullable Item<K> peek() {
    if (size == 0) {
      return null;
    }
    Item<K> first = items[head & (items.length - 1)];
    while (first == null) {
      head++;
      first = items[head & (items.length - 1)];
    }
    return first;
  }

  boolean contains(Item<K> item) {
    return items[item.index & (items.length - 1)] == item;
  }

  void remove(Item<K> item) {
    items[item.index & (items.length - 1)] = null;
    if (item.index == head) {
      head++;
    }
    size--;
    if (size == 0) {
      head = tail;
      if (items.length > 1024) {
        items = array(MIN_CAPACITY); // a burst is over: give its memory back
      }
    }
  }

  /** Counts the items before {@code item}. */
  int before(Item<K> item) {
    int count = 0;
    for (int i = head; i != item.index; i++) {
      if (items[i & (items.length - 1)] != null) {
        count++;
      }
    }
    return count;
  }

  private void makeRoom() {
    @Nullable Item<K>[] old = items;
    int oldMask = old.length - 1;
    if (size > old.length >> 1) {
      @Nullable Item<K>[] grown = array(old.length << 1);
      for (int i = head; i != tail; i++) {
        grown[i & (grown.length - 1)] = old[i & oldMask]; // positions stay, no item is touched
      }
      items = grown;
      return;
    }
    // More than half are holes left by removals: close them instead of growing.
    @Nullable Item<K>[] packed = array(old.length);
    int to = head;
    for (int i = head; i != tail; i++) {
      Item<K> item = old[i & oldMask];
      if (item != null) {
        item.index = to;
        packed[to & oldMask] = item;
        to++;
      }
    }
    tail = to;
    items = packed;
  }
}
