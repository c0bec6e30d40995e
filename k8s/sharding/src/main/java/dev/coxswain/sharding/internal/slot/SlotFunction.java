// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

/**
 * The slot of a key: a stable hash of its namespace and name.
 *
 * <p>The hash is FNV-1a 64 over the UTF-8 bytes of the namespace, one zero byte and the bytes of
 * the name, mixed by the finalizer of MurmurHash3. The slot is the highest bits of it, so a map of
 * twice as many slots splits each slot in two. The result for a key never changes: replicas of
 * different versions must agree. Another function has another {@link #NAME}.
 *
 * <p>Thread rule: any thread.
 */
public final class SlotFunction {

  /** The name of this function in the slot map. */
  public static final String NAME = "fnv1a-fmix/1";

  /** The same when the namespace alone decides. */
  public static final String NAME_BY_NAMESPACE = "fnv1a-fmix-namespace/1";

  /** The maximum number of slots. */
  public static final int MAX_SLOTS = 4096;

  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;
  private static final int REPLACEMENT = '?';

  private SlotFunction() {}

  /** Returns whether a map may have this number of slots: a power of two up to 4,096. */
  public static boolean isValid(int slots) {
    return slots >= 1 && slots <= MAX_SLOTS && Integer.bitCount(slots) == 1;
  }

  /**
   * Returns the slot of a key, from 0.
   *
   * @param namespace empty for none
   * @param slots the number of slots, a power of two up to {@link #MAX_SLOTS}
   */
  public static int slot(String namespace, String name, int slots) {
    if (!isValid(slots)) {
      throw new IllegalArgumentException(
          "the number of slots must be a power of two up to " + MAX_SLOTS + ": " + slots);
    }
    // The shift in two steps: one by 64 would be none.
    return (int) (hash(namespace, name) >>> 1 >>> (63 - Integer.numberOfTrailingZeros(slots)));
  }

  /** Returns the slot whose owner runs a controller that only one replica runs. */
  public static int slotOfController(String controller, int slots) {
    return slot("", controller, slots);
  }

  /** Returns the slot of all requests of a namespace, which is not empty, when the namespace alone decides. */
  public static int slotOfNamespace(String namespace, int slots) {
    return slot(namespace, "", slots);
  }

  /** Returns the mixed hash of a key. */
  public static long hash(String namespace, String name) {
    long hash = append(FNV_OFFSET, namespace);
    hash *= FNV_PRIME; // one zero byte
    return mix(append(hash, name));
  }

  /** Appends the UTF-8 bytes of a text, without a copy of it. */
  private static long append(long start, String text) {
    long hash = start;
    int length = text.length();
    for (int i = 0; i < length; i++) {
      int c = text.charAt(i);
      if (c < 0x80) {
        hash = append(hash, c);
      } else if (c < 0x800) {
        hash = continued(append(hash, 0xc0 | (c >> 6)), c);
      } else if (!Character.isSurrogate((char) c)) {
        hash = append(hash, 0xe0 | (c >> 12));
        hash = continued(continued(hash, c >> 6), c);
      } else {
        int point = text.codePointAt(i);
        if (Character.isSupplementaryCodePoint(point)) {
          i++;
          hash = append(hash, 0xf0 | (point >> 18));
          hash = continued(continued(continued(hash, point >> 12), point >> 6), point);
        } else {
          hash = append(hash, REPLACEMENT); // half a pair, as String.getBytes does
        }
      }
    }
    return hash;
  }

  /** Appends a continuation byte with the lowest six bits. */
  private static long continued(long hash, int bits) {
    return append(hash, 0x80 | (bits & 0x3f));
  }

  private static long append(long hash, int octet) {
    return (hash ^ octet) * FNV_PRIME;
  }

  private static long mix(long hash) {
    long h = hash;
    h = (h ^ (h >>> 33)) * 0xff51afd7ed558ccdL;
    h = (h ^ (h >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return h ^ (h >>> 33);
  }
}
