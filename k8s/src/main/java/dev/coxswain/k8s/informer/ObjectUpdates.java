// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.cache.Entry;
import dev.coxswain.k8s.cache.Snapshot;
import dev.coxswain.k8s.internal.Versions;
import dev.coxswain.k8s.internal.slots.LoadedObject;
import dev.coxswain.k8s.internal.slots.MappedObject;
import dev.coxswain.k8s.internal.slots.SlotFilter;
import dev.coxswain.k8s.internal.slots.SlotLoad;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import io.kubernetes.client.common.KubernetesObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Applies what the server sends to the store of an informer: lists and events of its reflector, and
 * loads of slots beside them.
 *
 * <p>Thread rule: any thread that may wait for the informer's lock; events and lists by the
 * reflector's thread only, in their order.
 *
 * <h2>Loads</h2>
 *
 * A load lists the objects of some slots while the watch goes on, so the two are compared by their
 * versions. A listed state is stored unless the store has a newer one, or the watch has delivered a
 * later end of the object ({@link SlotLoad}). The list may also be ahead of the watch. Then events
 * that are older than a stored state are skipped, and the last state of an object that the list does
 * not contain any more is delivered without being stored: the deletion of the last object of a
 * request must lead to an attempt.
 */
final class ObjectUpdates<T extends KubernetesObject> {

  private final ReentrantLock lock;
  private final EntryStore store;
  private final StoreWriter<T> writer;
  private final SlotFilter filter;

  /** The version of the last load of each slot since the last list, under the lock. */
  private final Map<Integer, String> loadedAt = new HashMap<>();

  /** The versions of namespaces that were listed by themselves since, under the lock. */
  private final Map<String, String> listedAt = new HashMap<>();

  ObjectUpdates(ReentrantLock lock, EntryStore store, StoreWriter<T> writer, SlotFilter filter) {
    this.lock = lock;
    this.store = store;
    this.writer = writer;
    this.filter = filter;
  }

  /**
   * Applies a complete list; objects that it does not contain are removed, except unreadable ones.
   */
  void replace(Snapshot snapshot, Trigger trigger) {
    writer.publish();
    loadedAt.clear();
    listedAt.clear();
    listedAt.putAll(snapshot.namespaces());
    snapshot.found().forEach((object, entry) -> writer.change(object, entry, trigger));
    store.forEach((object, entry) -> {
      if (!snapshot.has(object)) {
        writer.forget(object, null);
      }
    });
  }

  /** Applies the present state of an object. */
  void put(MappedObject mapped, Entry entry) {
    Request object = mapped.key();
    String version = entry.resourceVersion();
    lock.lock();
    try {
      writer.publish();
      if (filter.hasSlots()) {
        if (!filter.keeps(mapped)) {
          leave(mapped, version); // its slot has been released meanwhile
          return;
        }
        Entry before = store.find(object);
        if (before != null && isBefore(version, before.resourceVersion())) {
          // A load was ahead of the watch. Requests of this state alone must not miss it.
          if (!mapped.isFixed()) {
            writer.pass(object, entry);
          }
          return;
        }
        if (before == null && hasListedLater(mapped, version)) {
          writer.pass(object, entry);
          return;
        }
      }
      SlotLoad load = filter.load();
      if (load != null && store.find(object) == null) {
        load.added(object);
      }
      writer.change(object, entry, Trigger.EVENT);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Passes over an object that has not been read because it is foreign: if it was not before, it has
   * left.
   *
   * @param version its version
   * @return false when it is kept by now, and has to be read
   */
  boolean passOver(MappedObject mapped, String version) {
    lock.lock();
    try {
      if (filter.keeps(mapped)) {
        return false;
      }
      writer.publish();
      leave(mapped, version);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** As for a selector on the server, an object that is not kept any more is delivered as deleted. */
  private void leave(MappedObject mapped, String version) {
    Request object = mapped.key();
    gone(mapped, version);
    Entry before = store.find(object);
    if (before == null || isBefore(version, before.resourceVersion())) {
      return;
    }
    if (filter.keeps(filter.map(object, before))) {
      writer.forget(object, null);
    } else {
      writer.evict(object, before);
    }
  }

  /**
   * Removes an object.
   *
   * @param version the version of its end; empty for none
   * @param last its final state if the server sent one that can be read
   */
  void remove(MappedObject mapped, String version, @Nullable Entry last) {
    Request object = mapped.key();
    lock.lock();
    try {
      writer.publish();
      gone(mapped, version);
      Entry before = store.find(object);
      boolean ahead = before != null && isBefore(version, before.resourceVersion());
      if (!filter.hasSlots() || (before != null && !ahead)) {
        writer.forget(object, last);
      } else if (last != null && !(ahead && mapped.isFixed())) {
        // It went before a load. Its requests may have no other object that leads to them.
        writer.pass(object, last);
      }
    } finally {
      lock.unlock();
    }
  }

  private void gone(MappedObject mapped, String version) {
    SlotLoad load = filter.load();
    if (load != null) {
      load.gone(mapped, version);
    }
  }

  private static boolean isBefore(String version, String other) {
    return Versions.comparable(version, other) && !Versions.reaches(version, other);
  }

  /** Returns whether a load has listed the slots of an object at this version or later. */
  private boolean hasListedLater(MappedObject mapped, String version) {
    String namespace = listedAt.get(mapped.key().namespace());
    return (namespace != null && Versions.reaches(namespace, version))
        || (!loadedAt.isEmpty()
            && filter
                .keptFor(mapped)
                .allMatch(slot -> Versions.reaches(loadedAt.getOrDefault(slot, ""), version)));
  }

  /** Stores objects of a load; false when the load is void. */
  boolean merge(SlotLoad load, List<LoadedObject> objects) {
    lock.lock();
    try {
      writer.publish();
      if (filter.load() != load || load.isOverflowed()) {
        return false;
      }
      Trigger trigger =
          load.isAll()
              ? Trigger.INITIAL_LIST
              : load.namespaces() == null ? Trigger.ACQUIRED : Trigger.EVENT;
      for (LoadedObject object : objects) {
        MappedObject mapped = object.mapped();
        Entry entry = object.entry();
        Entry before = store.find(mapped.key());
        String version = entry.resourceVersion();
        boolean newer =
            before == null
                ? !load.isGone(mapped.key(), version)
                : isBefore(before.resourceVersion(), version);
        if (newer && filter.loads(load, mapped)) {
          writer.change(mapped.key(), entry, trigger);
        }
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * A list of a load, with all of its objects.
   *
   * @param present all that was listed, readable or not
   * @param version of the load
   * @param namespaces the later versions of namespaces that were listed by themselves
   */
  record ListedLoad(
      SlotLoad load, Set<Request> present, String version, Map<String, String> namespaces) {

    /** Returns the namespaces of all that was listed. */
    Set<String> namespacesOfObjects() {
      return present.stream().map(Request::namespace).collect(Collectors.toSet());
    }
  }

  /**
   * Removes what was stored before a load and had gone by its list: the watch, which may be behind, would do so later.
   * Before {@link #loaded}, which does the same with what the watch has added since the begin of the load.
   */
  void forgetGone(ListedLoad listed) {
    List<Request> some = new ArrayList<>();
    store.forEach(
        listed.load.namespaces(),
        (object, entry) -> {
          if (isGone(listed, object, entry)) {
            some.add(object);
          }
        });
    lock.lock();
    try {
      if (filter.load() == listed.load && !listed.load.isOverflowed()) {
        some.forEach(object -> forgetGone(listed, object));
      }
    } finally {
      lock.unlock();
    }
  }

  private void forgetGone(ListedLoad listed, Request object) {
    Entry stored = store.find(object);
    if (stored != null && isGone(listed, object, stored)) {
      writer.publish();
      writer.forget(object, null);
    }
  }

  private boolean isGone(ListedLoad listed, Request object, Entry stored) {
    String version = listed.namespaces.getOrDefault(object.namespace(), listed.version);
    return !listed.present.contains(object)
        && Versions.reaches(version, stored.resourceVersion())
        && filter.isIn(listed.load, filter.map(object, stored));
  }

  /**
   * Records that slots, and namespaces, are as of a version at least; under the lock.
   *
   * @param watched the version up to which events were applied
   */
  void loaded(ListedLoad listed, String watched) {
    SlotLoad load = listed.load;
    String version = listed.version;
    Map<String, String> namespaces = listed.namespaces;
    load.added().forEach(object -> forgetGone(listed, object));
    listedAt.values().removeIf(seen -> Versions.reaches(watched, seen)); // no earlier event comes
    listedAt.putAll(namespaces);
    if (load.namespaces() != null) {
      return;
    }
    if (load.isAll()) {
      loadedAt.put(SlotFilter.ALL, version);
    }
    load.slots().stream().forEach(slot -> loadedAt.put(slot, version));
  }

  /** Removes objects that no user needs any more. Listeners receive nothing. */
  void evictForeign() {
    List<Request> foreign = new ArrayList<>();
    store.forEach((object, entry) -> {
      if (isForeign(object, entry)) {
        foreign.add(object);
      }
    });
    for (Request object : foreign) {
      lock.lock();
      try {
        writer.publish();
        Entry present = store.find(object);
        if (present != null && isForeign(object, present)) {
          writer.evict(object, present);
        }
      } finally {
        lock.unlock();
      }
    }
  }

  private boolean isForeign(Request object, Entry entry) {
    return !filter.keeps(filter.map(object, entry));
  }
}
