// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

/**
 * One version of the slot map as read from the API server, or as stored by an own write.
 *
 * <p>Thread rule: immutable.
 *
 * @param uid the uid of the ConfigMap; another one is another map
 * @param version the resource version of the ConfigMap, as a number
 * @param sent when the consistent read or the write that returned it was sent. For a version from a
 *     watch, when the list or the read before the watch was sent.
 */
public record StoredSlotMap(String uid, long version, SlotMap map, long sent) {

  public StoredSlotMap {
    if (uid.isEmpty()) {
      throw new IllegalArgumentException("a stored map has a uid");
    }
  }
}
