// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A hash table of the items of a queue by their request.
 *
 * <p>Thread rule: confined to the queue's event loop.
 */
final class ItemTable<K> {
  // How it works
  //
  // Segments. A small table is one open-addressing table, of at most 40 KB, most of
  // which stay in the cache of the processor. A larger one has 256 of them, chosen by the top eight
  // bits of the mixed hash.
  // Each grows alone, so that no single addition ever moves a million items.
  //
  // Walks. The bits below choose the slot at which an item is looked for, so that the items of a
  // range of hashes are in the slots of that range and in the full ones right behind it. A walk
  // goes from range to range: a stable order that survives growth between two steps, which are
  // short however many items there are.
  //
  // Probing. One byte per slot is compared before the item itself is touched, since the item is a
  // cache miss and the bytes are not: the distance of the item from its home, and bits of its hash.
  // Removal shifts back instead of leaving tombstones, for which it needs the distances only.

  /** Behind all hashes, as unsigned numbers. */
  static final long END = 1L << 32;

  private static final int SEGMENTS = 256;
  private static final int UNDIVIDED_BITS = 32;
  private static final int DIVIDED_BITS = 24;

  /** A table with more items is divided, and remains so until it is empty. */
  private static final int MOST_UNDIVIDED = 2048;

  private @Nullable Segment<K>[] segments = array(1);

  /** The number of low bits of a hash that do not choose its segment. */
  private int segmentBits = UNDIVIDED_BITS;

  private int size;

  @SuppressWarnings({
    "unchecked",
    "rawtypes"
  }) // an array of a generic type cannot be made otherwise
  private static <K> @Nullable Segment<K>[] array(int length) {
    return new Segment[length];
  }

  /** Mixes a hash code so that all of its bits depend on all others (MurmurHash3's finalizer). */
  static int mix(int hash) {
    int h = hash;
    h ^= h >>> 16;
    h *= 0x85ebca6b;
    h ^= h >>> 13;
    h *= 0xc2b2ae35;
    h ^= h >>> 16;
    return h;
  }

  private int segmentOf(int hash) {
    return (int) (Integer.toUnsignedLong(hash) >>> segmentBits);
  }

  int size() {
    return size;
  }

  @Nullable Item<K> find(K key, int hash) {
    Segment<K> segment = segments[segmentOf(hash)];
    return segment == null ? null : segment.find(key, hash);
  }

  /** Adds an item whose key is not in the table. */
  void insert(Item<K> item) {
    if (size == MOST_UNDIVIDED && segments.length == 1) {
      divide();
    }
    place(item, segments, segmentOf(item.hash), segmentBits);
    size++;
  }

  private static <K> void place(
      Item<K> item, @Nullable Segment<K>[] into, int number, int segmentBits) {
    Segment<K> segment = into[number];
    if (segment == null) {
      segment = new Segment<>(segmentBits);
      into[number] = segment;
    }
    segment.insert(item);
  }

  private void divide() {
    @Nullable Segment<K>[] divided = array(SEGMENTS);
    Segment<K> whole = segments[0];
    if (whole != null) {
      for (Item<K> item : whole.slots) {
        if (item != null) {
          place(item, divided, item.hash >>> DIVIDED_BITS, DIVIDED_BITS);
        }
      }
    }
    // Last, so that a lack of memory before loses no item.
    segments = divided;
    segmentBits = DIVIDED_BITS;
  }

  void remove(Item<K> item) {
    Segment<K> segment = segments[segmentOf(item.hash)];
    if (segment != null && segment.remove(item)) {
      size--;
      if (size == 0 && segments.length > 1) {
        segments = array(1);
        segmentBits = UNDIVIDED_BITS;
      } else if (segment.size == 0 && segments.length > 1) {
        segments[segmentOf(item.hash)] = null;
      }
    }
  }

  /**
   * Visits, in no order, the items of the next few hashes.
   *
   * @param from the first hash, as an unsigned number below {@link #END}
   * @return the first hash that has not been visited, or {@link #END}
   */
  long forEachFrom(long from, Consumer<Item<K>> action) {
    int number = segmentOf((int) from);
    Segment<K> segment = segments[number];
    return segment == null ? (number + 1L) << segmentBits : segment.forEachFrom(from, action);
  }

  private static final class Segment<K> {
    private static final int MIN_CAPACITY = 8;

    /** The number of places in a range of hashes; bounds the time to check the labels of its items. */
    private static final int RANGE = 64;

    /** The number of low bits of a hash that differ between the items of this segment. */
    private final int bits;

    private byte[] tags = new byte[MIN_CAPACITY];
    private @Nullable Item<K>[] slots = array(MIN_CAPACITY);
    private int mask = MIN_CAPACITY - 1;
    private int shift = 32 - 3;
    private int size;

    Segment(int bits) {
      this.bits = bits;
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // as above
    private static <K> @Nullable Item<K>[] array(int capacity) {
      return new Item[capacity];
    }

    /** Distances from this one on are not in the tag. */
    private static final int FAR = 6;

    /**
     * Returns the mark of an item in a slot: in three bits the distance from its home and one, so
     * that it is never 0, which marks an empty slot; in the others bits of its hash.
     */
    private static byte tag(int hash, int distance) {
      return (byte) ((Math.min(distance, FAR) + 1) << 5 | (hash & 31));
    }

    /** Returns how far behind its home the item in a slot is. */
    private int distance(int slot, Item<K> item) {
      int near = (tags[slot] & 0xff) >>> 5;
      return near <= FAR ? near - 1 : (slot - home(item.hash)) & mask;
    }

    /** The bits below those that chose the segment. */
    private int home(int hash) {
      return (hash << (32 - bits)) >>> shift;
    }

    @Nullable Item<K> find(K key, int hash) {
      int i = home(hash);
      for (int distance = 0; tags[i] != 0; distance++, i = (i + 1) & mask) {
        if (tags[i] == tag(hash, distance)) {
          Item<K> item = slots[i];
          if (item != null && item.hash == hash && item.key.equals(key)) {
            return item;
          }
        }
      }
      return null;
    }

    void insert(Item<K> item) {
      if (size >= limit()) {
        resize(tags.length << 1);
      }
      place(item);
      size++;
    }

    /**
     * Returns how many items fit: a quarter of an undivided table, in which most items are in their
     * home then, and 5/8 of a segment of a divided one, where memory counts.
     */
    private int limit() {
      int capacity = tags.length;
      return bits == UNDIVIDED_BITS ? capacity >> 2 : capacity - (capacity >> 2) - (capacity >> 3);
    }

    private void place(Item<K> item) {
      int i = home(item.hash);
      int distance = 0;
      while (tags[i] != 0) {
        i = (i + 1) & mask;
        distance++;
      }
      tags[i] = tag(item.hash, distance);
      slots[i] = item;
    }

    boolean remove(Item<K> item) {
      int i = home(item.hash);
      while (slots[i] != item) {
        if (tags[i] == 0) {
          return false;
        }
        i = (i + 1) & mask;
      }
      int gap = i;
      for (int j = (i + 1) & mask; tags[j] != 0; j = (j + 1) & mask) {
        Item<K> next = slots[j];
        // An item may fill the gap unless its home lies behind the gap, seen from its slot.
        int back = (j - gap) & mask;
        if (next != null && distance(j, next) >= back) {
          tags[gap] = tag(tags[j], distance(j, next) - back);
          slots[gap] = next;
          gap = j;
        }
      }
      tags[gap] = 0;
      slots[gap] = null;
      size--;
      if (tags.length > MIN_CAPACITY && size < limit() >> 2) {
        resize(tags.length >> 1);
      }
      return true;
    }

    private void resize(int capacity) {
      @Nullable Item<K>[] old = slots;
      tags = new byte[capacity];
      slots = array(capacity);
      mask = capacity - 1;
      shift = 32 - Integer.numberOfTrailingZeros(capacity);
      for (Item<K> item : old) {
        if (item != null) {
          place(item);
        }
      }
    }

    long forEachFrom(long from, Consumer<Item<K>> action) {
      int ranges = Math.max(1, tags.length / RANGE);
      int rangeBits = bits - Integer.numberOfTrailingZeros(ranges);
      long end = ((from >>> rangeBits) + 1) << rangeBits;
      int i = home((int) from);
      int own = home((int) (end - 1)) - i;
      for (int seen = 0; seen <= mask && (seen <= own || tags[i] != 0); seen++) {
        Item<K> item = slots[i];
        if (item != null) {
          long hash = Integer.toUnsignedLong(item.hash);
          if (hash >= from && hash < end) {
            action.accept(item);
          }
        }
        i = (i + 1) & mask;
      }
      return end;
    }
  }
}
