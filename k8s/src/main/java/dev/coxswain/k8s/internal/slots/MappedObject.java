// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.slots;

import dev.coxswain.k8s.cache.ObjectKeys;
import dev.coxswain.reconcile.Request;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The slots of one state of an object.
 *
 * <p>Thread rule: immutable; the slots are not changed.
 *
 * @param key the object
 * @param slots the slots of the requests that it maps to; null when they were not computed, since
 *     all objects are kept
 * @param mappings the mappings that were used
 */
public record MappedObject(Request key, @Nullable BitSet slots, List<ObjectKeys> mappings) {

  /** Returns an object whose slots were not computed; it is kept. */
  public static MappedObject unmapped(Request key) {
    return new MappedObject(key, null, List.of());
  }

  /** Returns whether all states of this object have the same slots: its name decides. */
  public boolean isFixed() {
    return mappings.equals(List.of(ObjectKeys.SELF));
  }
}
