// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.slots;

import dev.coxswain.k8s.cache.ObjectKeys;
import dev.coxswain.k8s.internal.Versions;
import dev.coxswain.reconcile.Request;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One load of slots, from before its list to its end, with the objects that have gone meanwhile.
 *
 * <p>While the list is read, the watch goes on. Objects that it stores are newer than the list or
 * compared with it. One that it deletes, or that moves to a foreign slot, is no longer in the store:
 * without this table an older state in the list would bring it back for good. The watch may also be behind the list, and
 * add an object that is gone by then.
 *
 * <p>Thread rule: the table under the informer's lock.
 */
public final class SlotLoad {

  /** The most objects to remember; beyond, the reflector lists everything instead. */
  public static final int MAX_GONE = 200_000;

  /** Replaced by {@link #release}. */
  private volatile BitSet slots;

  private final boolean all;
  private final @Nullable Set<String> namespaces;
  private final List<ObjectKeys> mappings;
  private final Map<Request, String> gone = new HashMap<>();

  /** The objects that the watch has added meanwhile. */
  private final Set<Request> added = new HashSet<>();

  /** The listed objects that cannot be read. */
  private final Set<Request> unreadable = new HashSet<>();

  private boolean overflowed;

  /**
   * Creates a load that begins now.
   *
   * @param slots the slots; not changed any more
   * @param all whether all objects are loaded
   * @param mappings the mappings for which the slots are loaded
   */
  SlotLoad(BitSet slots, boolean all, List<ObjectKeys> mappings) {
    this(slots, all, null, mappings);
  }

  /** Creates a load of some namespaces of slots that are held. */
  SlotLoad(BitSet slots, Set<String> namespaces, List<ObjectKeys> mappings) {
    this(slots, false, namespaces, mappings);
  }

  private SlotLoad(
      BitSet slots, boolean all, @Nullable Set<String> namespaces, List<ObjectKeys> mappings) {
    this.slots = slots;
    this.all = all;
    this.namespaces = namespaces;
    this.mappings = mappings;
  }

  public BitSet slots() {
    return slots;
  }

  /** Removes slots: their events are not followed any more. Under the filter's lock. */
  void release(BitSet released) {
    slots = SlotSet.without(slots, released);
  }

  public boolean isAll() {
    return all;
  }

  /** Returns the only namespaces that are listed, of slots that are held; null for all of the slots. */
  public @Nullable Set<String> namespaces() {
    return namespaces;
  }

  public List<ObjectKeys> mappings() {
    return mappings;
  }

  /** Remembers that an object went at this version. */
  public void gone(MappedObject object, String version) {
    BitSet last = object.slots();
    // A former state may have been in a slot that is being loaded, unless its slots are fixed.
    if (!all && object.isFixed() && last != null && !last.intersects(slots)) {
      return;
    }
    if (gone.size() >= MAX_GONE) {
      overflowed = true;
      gone.clear();
    }
    if (!overflowed) {
      gone.merge(object.key(), version, Versions::later);
    }
  }

  /** Remembers that the watch added an object, which may be older than the list. */
  public void added(Request object) {
    if (gone.size() + added.size() >= MAX_GONE) {
      overflowed = true;
      added.clear();
    }
    if (!overflowed) {
      added.add(object);
    }
  }

  /** Remembers that a listed object cannot be read. Before the end of the list, by its thread. */
  public void unreadable(Request object) {
    unreadable.add(object);
  }

  /** Returns the objects that the watch has added since the begin. */
  public Set<Request> added() {
    return Set.copyOf(added);
  }

  /** Returns all that was listed, readable or not. */
  public Set<Request> present(List<LoadedObject> listed) {
    Set<Request> all = new HashSet<>(unreadable);
    listed.forEach(object -> all.add(object.mapped().key()));
    return all;
  }

  /** Returns whether too many objects went: the list cannot be used. */
  public boolean isOverflowed() {
    return overflowed;
  }

  /** Returns whether a listed state is older than the end of the object. */
  public boolean isGone(Request object, String version) {
    String end = gone.get(object);
    return end != null && Versions.reaches(end, version);
  }
}
