// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.slots;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.cache.CacheUser;
import dev.coxswain.k8s.cache.Entry;
import dev.coxswain.k8s.cache.ObjectKeys;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.reconcile.Request;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Which objects an informer keeps, as the union of what its users need, and which slots it holds.
 *
 * <p>An object is kept when one of the mappings of the users maps it to a kept slot. All objects are
 * kept while one user needs them, or without slots. A slot is kept from the moment the
 * host wants it; it is held, for one mapping, when all its objects are in the store.
 *
 * <p>Thread rule: any thread. The lock is held for a few steps only, so that it may be taken on an
 * event loop; changes of a load are made under the informer's lock too.
 */
public final class SlotFilter {

  /** All objects, where a slot is expected. */
  public static final int ALL = -1;

  private final @Nullable SlotSet kept;
  private final UserCode userCode;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<CacheUser> users = new ArrayList<>();

  /** Replaced under the lock. */
  private volatile State state = new State(List.of(), List.of(), Map.of(), false);

  /** The contents of the list in progress of the reflector; replaced under the lock. */
  private volatile @Nullable Coverage coverage;

  /** The load in progress; replaced under the lock. */
  private volatile @Nullable SlotLoad load;

  /**
   * @param full the users that need all objects
   * @param held the held slots by mapping
   * @param heldAll whether all objects are held
   */
  private record State(
      List<ObjectKeys> mappings,
      List<CacheUser> full,
      Map<ObjectKeys, BitSet> held,
      boolean heldAll) {}

  /** @param reduced whether objects were to be in the list that are not needed any more */
  private record Coverage(boolean all, BitSet slots, List<ObjectKeys> mappings, boolean reduced) {}

  public SlotFilter(@Nullable SlotSet kept, UserCode userCode) {
    this.kept = kept;
    this.userCode = userCode;
  }

  // Users

  public void add(CacheUser user) {
    lock.lock();
    try {
      users.add(user);
      usersChanged();
    } finally {
      lock.unlock();
    }
  }

  /** Removes a user; returns whether objects may have become superfluous. */
  public boolean remove(CacheUser user) {
    lock.lock();
    try {
      State before = state;
      users.remove(user);
      usersChanged();
      return isFull(before) != isFull(state) || !before.mappings.equals(state.mappings);
    } finally {
      lock.unlock();
    }
  }

  private void usersChanged() {
    State before = state;
    List<ObjectKeys> mappings =
        users.stream().map(CacheUser::keys).filter(Objects::nonNull).distinct().toList();
    Map<ObjectKeys, BitSet> held = new HashMap<>();
    for (ObjectKeys keys : mappings) {
      BitSet known = before.held.get(keys);
      held.put(keys, before.heldAll ? keptNow() : known == null ? new BitSet() : known);
    }
    List<CacheUser> full = users.stream().filter(user -> user.keys() == null).toList();
    State now = new State(mappings, full, held, before.heldAll);
    boolean sameFullness = isFull(before) == isFull(now);
    state = sameFullness ? now : new State(mappings, full, held, false);
    if (!sameFullness || !mappings.equals(before.mappings)) {
      load = null;
    }
  }

  private boolean isFull(State of) {
    return kept == null || !of.full.isEmpty();
  }

  private BitSet keptNow() {
    return kept == null ? new BitSet() : kept.now();
  }

  /** Returns whether foreign objects are left out now. */
  public boolean isFiltered() {
    return !isFull(state);
  }

  /** Returns whether all objects are left out now: no slot is kept, and no user needs all. */
  public boolean keepsNone() {
    return isFiltered() && keptNow().isEmpty();
  }

  /** Returns whether slots may be loaded and released during the life of the informer. */
  public boolean hasSlots() {
    return kept != null;
  }

  /** Returns the users that need all objects; empty without slots. */
  public List<String> fullFor() {
    return kept == null ? List.of() : state.full.stream().map(CacheUser::toString).toList();
  }

  // Objects

  /**
   * Returns the slots of an object.
   *
   * @param metadata the named members of the metadata of the object; it is used if a mapping reads it
   */
  public MappedObject map(Request key, Function<Set<String>, JsonObject> metadata) {
    State now = state;
    SlotSet slots = kept;
    if (slots == null || isFull(now)) {
      return MappedObject.unmapped(key);
    }
    BitSet mapped = new BitSet();
    for (ObjectKeys keys : now.mappings) {
      if (keys.equals(ObjectKeys.SELF)) {
        mapped.set(slots.slotOf(key));
        continue;
      }
      try {
        keys.of(key, metadata.apply(keys.members()), request -> mapped.set(slots.slotOf(request)));
      } catch (Throwable e) {
        userCode.failed("mapping failed, keeping the object", key, e);
        if (!slots.isByNamespace() || !keys.staysInNamespace()) {
          return MappedObject.unmapped(key);
        }
        mapped.set(slots.slotOf(key)); // or its deletion would not be received
      }
    }
    return new MappedObject(key, mapped, now.mappings);
  }

  /** Returns the slots of a stored object. */
  public MappedObject map(Request key, Entry entry) {
    return isFull(state) ? MappedObject.unmapped(key) : map(key, entry::metadata);
  }

  /** Returns whether objects of a slot are kept, loaded or not. */
  public boolean keepsSlot(int slot) {
    return keptNow().get(slot);
  }

  /** Returns whether an object is kept; also when its slots were computed with other mappings. */
  public boolean keeps(MappedObject object) {
    State now = state;
    BitSet slots = object.slots();
    return isFull(now)
        || slots == null
        || !object.mappings().equals(now.mappings)
        || slots.intersects(keptNow());
  }

  /** Returns the slots for which an object is kept, or {@link #ALL}. */
  public IntStream keptFor(MappedObject object) {
    State now = state;
    BitSet slots = object.slots();
    return isFull(now) || slots == null || !object.mappings().equals(now.mappings)
        ? IntStream.of(ALL)
        : slots.stream().filter(keptNow()::get);
  }

  /** Returns whether an object belongs to a load, and is still kept. */
  public boolean loads(SlotLoad loaded, MappedObject object) {
    BitSet slots = object.slots();
    return keeps(object) && (loaded.isAll() || slots == null || slots.intersects(loaded.slots()));
  }

  /** Returns whether an object is known to be in a slot of a load, or in a load of everything. */
  public boolean isIn(SlotLoad loaded, MappedObject object) {
    BitSet slots = object.slots();
    Set<String> namespaces = loaded.namespaces();
    return namespaces == null
        ? loaded.isAll() || (slots != null && slots.intersects(loaded.slots()))
        : namespaces.contains(object.key().namespace())
            && (slots == null || slots.intersects(loaded.slots()));
  }

  /**
   * Returns whether an object was in one of some slots that are not kept any more, and is in none
   * that is kept.
   *
   * @param last its last state; null when it has none
   */
  public boolean isIn(BitSet released, Request key, @Nullable Entry last) {
    SlotSet slots = kept;
    State now = state;
    if (slots == null || isFull(now)) {
      return false;
    }
    if (last == null) {
      // An object that is gone: its slot is that of its name, or unknown.
      return !now.mappings.contains(ObjectKeys.SELF) || released.get(slots.slotOf(key));
    }
    BitSet mapped = map(key, last::metadata).slots();
    return mapped != null && mapped.intersects(released) && !mapped.intersects(slots.now());
  }

  /**
   * Returns whether an entry that is in the store belongs to the owned objects of a user.
   *
   * @param keys the mapping of the user
   */
  public boolean owns(ObjectKeys keys, Request key, Entry entry) {
    SlotSet slots = kept;
    if (slots == null) {
      return true;
    }
    if (keys.equals(ObjectKeys.SELF)) {
      return slots.now().get(slots.slotOf(key));
    }
    if (!isFull(state) && state.mappings.size() == 1) {
      return true; // nothing else is in the store
    }
    BitSet mapped = new BitSet();
    try {
      keys.of(key, entry.metadata(keys.members()), request -> mapped.set(slots.slotOf(request)));
    } catch (RuntimeException e) {
      return true; // as in map(): an object that cannot be mapped is kept, and shown
    }
    return mapped.intersects(slots.now());
  }

  /** Returns the slot of an object that a user must not read by its name, or -1. */
  public int foreignSlot(ObjectKeys keys, Request key) {
    SlotSet slots = kept;
    Request request = requestOf(keys, key);
    if (slots == null || request == null) {
      return -1;
    }
    int slot = slots.slotOf(request);
    State now = state;
    BitSet held = now.held.get(keys);
    boolean readable = slots.now().get(slot) && (now.heldAll || (held != null && held.get(slot)));
    return readable ? -1 : slot;
  }

  /** Returns the request of an object whose name alone decides about it; null when more does. */
  private static @Nullable Request requestOf(ObjectKeys keys, Request key) {
    return keys.equals(ObjectKeys.SELF)
        ? key
        : keys instanceof ClusterKeys in && in.keys().equals(ObjectKeys.SELF)
            ? key.inCluster(in.cluster())
            : null;
  }

  // Slots

  /** Returns whether these slots are held for all mappings. */
  public boolean holds(BitSet slots) {
    State now = state;
    return now.heldAll
        || now.held.values().stream().allMatch(held -> slots.stream().allMatch(held::get));
  }

  /** Returns whether everything that is kept is held. */
  public boolean isComplete() {
    State now = state;
    return kept == null || (isFull(now) ? now.heldAll : holds(keptNow()));
  }

  /** The slots are not kept any more. */
  public void release(BitSet slots) {
    lock.lock();
    try {
      Map<ObjectKeys, BitSet> held = new HashMap<>();
      state.held.forEach((keys, some) -> held.put(keys, SlotSet.without(some, slots)));
      state = new State(state.mappings, state.full, held, state.heldAll);
      Coverage listed = coverage;
      if (listed != null) {
        coverage =
            new Coverage(listed.all, SlotSet.without(listed.slots, slots), listed.mappings, true);
      }
      SlotLoad loaded = load;
      if (loaded != null) {
        loaded.release(slots);
      }
    } finally {
      lock.unlock();
    }
  }

  // Lists of the reflector

  public void listBegins() {
    lock.lock();
    try {
      coverage = new Coverage(isFull(state), keptNow(), state.mappings, false);
      load = null;
    } finally {
      lock.unlock();
    }
  }

  /** Returns what has to be read for the list in progress. */
  public NamespaceFilter namespacesOfList() {
    Coverage listed = coverage;
    return listed == null || listed.all
        ? NamespaceFilter.ALL
        : NamespaceFilter.of(kept, listed.slots, listed.mappings);
  }

  /** Returns what has to be read for a load. */
  public NamespaceFilter namespacesOf(SlotLoad of) {
    return of.isAll() ? NamespaceFilter.ALL : NamespaceFilter.of(kept, of.slots(), of.mappings());
  }

  /** Returns what has to be watched. */
  public NamespaceFilter namespacesKept() {
    State now = state;
    return isFull(now) ? NamespaceFilter.ALL : NamespaceFilter.of(kept, keptNow(), now.mappings);
  }

  /** Returns whether an object belongs into the list in progress. */
  public boolean covers(MappedObject object) {
    Coverage listed = coverage;
    BitSet slots = object.slots();
    return listed == null
        || listed.all
        || slots == null
        || !object.mappings().equals(listed.mappings)
        || slots.intersects(listed.slots);
  }

  /** The list is in the store; returns whether it has superfluous objects. */
  public boolean listed() {
    lock.lock();
    try {
      Coverage listed = coverage;
      coverage = null;
      if (listed == null) {
        return false;
      }
      boolean full = isFull(state);
      Map<ObjectKeys, BitSet> held = new HashMap<>();
      for (ObjectKeys keys : state.mappings) {
        held.put(
            keys,
            listed.all ? keptNow() : listed.mappings.contains(keys) ? listed.slots : new BitSet());
      }
      state = new State(state.mappings, state.full, held, full && listed.all);
      return listed.reduced || !listed.mappings.equals(state.mappings) || (listed.all && !full);
    } finally {
      lock.unlock();
    }
  }

  // Loads

  /** Begins a load of what is kept and not held; null for nothing, or during a list. */
  public @Nullable SlotLoad beginLoad() {
    lock.lock();
    try {
      if (isComplete() || coverage != null || kept == null) {
        load = null;
        return null;
      }
      BitSet missing = new BitSet();
      BitSet now = kept.now();
      state.held.values().forEach(held -> missing.or(SlotSet.without(now, held)));
      load = new SlotLoad(missing, isFull(state), state.mappings);
      return load;
    } finally {
      lock.unlock();
    }
  }

  /** Begins a load of namespaces of what is held; null during a list, or when none of them is kept. */
  public @Nullable SlotLoad beginLoad(Set<String> namespaces) {
    lock.lock();
    try {
      NamespaceFilter needed = namespacesKept();
      Set<String> some =
          namespaces.stream().filter(needed::has).collect(Collectors.toUnmodifiableSet());
      load =
          some.isEmpty() || coverage != null ? null : new SlotLoad(keptNow(), some, state.mappings);
      return load;
    } finally {
      lock.unlock();
    }
  }

  public @Nullable SlotLoad load() {
    return load;
  }

  /** Ends a load without a result. */
  public void abandon() {
    lock.lock();
    try {
      load = null;
    } finally {
      lock.unlock();
    }
  }

  /** The slots of the load in progress are in the store. */
  public void loaded(SlotLoad ended) {
    lock.lock();
    try {
      load = null;
      if (ended.namespaces() != null) {
        return;
      }
      UnaryOperator<BitSet> more =
          held -> ended.isAll() ? keptNow() : SlotSet.with(held, ended.slots());
      Map<ObjectKeys, BitSet> held = new HashMap<>();
      state.held.forEach((keys, some) -> held.put(keys, more.apply(some)));
      state = new State(state.mappings, state.full, held, ended.isAll());
    } finally {
      lock.unlock();
    }
  }
}
