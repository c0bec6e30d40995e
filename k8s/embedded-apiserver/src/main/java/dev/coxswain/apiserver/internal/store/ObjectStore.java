// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.status.ApiException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * All objects under one sequence of versions; confined to the server's event loop, which makes
 * every write atomic.
 */
public final class ObjectStore {
  private final Map<String, ObjectCollection> collections = new LinkedHashMap<>();
  private final List<BiConsumer<ObjectCollection, Change>> listeners = new ArrayList<>();
  private final int historyLimit;
  private final Times times;
  private long version = 1;

  /**
   * Creates an empty store.
   *
   * @param historyLimit how many changes of a resource are remembered
   * @param clock the clock of the time stamps of objects
   */
  public ObjectStore(int historyLimit, InstantSource clock) {
    this.historyLimit = historyLimit;
    this.times = new Times(clock);
  }

  /** Returns the time stamps of objects. */
  public Times times() {
    return times;
  }

  /** Registers a listener, called on the event loop after every write; it must not write itself. */
  public void onChange(BiConsumer<ObjectCollection, Change> listener) {
    listeners.add(listener);
  }

  /** The newest version. */
  public long version() {
    return version;
  }

  /** Returns the collection of a resource, creating it when needed. */
  public ObjectCollection collection(ResourceType type) {
    ObjectCollection found = collections.get(type.storage());
    if (found == null) {
      // its own version, so that a watch from before the resource existed is too old
      found = new ObjectCollection(type.storage(), type.selectable(), historyLimit, ++version);
      collections.put(type.storage(), found);
    }
    return found;
  }

  /** Returns an object; throws a 404 when there is none. */
  public StoredObject require(ResourceType type, String namespace, String name) {
    StoredObject found = collection(type).get(namespace, name);
    if (found == null) {
      throw ApiException.notFound(type.names(), name);
    }
    return found;
  }

  /** Forgets a resource and its objects, without events. */
  public void drop(String storage) {
    collections.remove(storage);
  }

  public java.util.Collection<ObjectCollection> collections() {
    return collections.values();
  }

  /** Makes every earlier version of a resource unreadable. */
  public void compact(ObjectCollection collection) {
    version++;
    collection.compact(version);
  }

  /** Makes every earlier version unreadable. */
  public void compact() {
    version++; // so that even the version just handed out is too old
    for (ObjectCollection collection : collections.values()) {
      collection.compact(version);
    }
  }

  /** Stores a tree; returns what was stored, with its new version. */
  public StoredObject put(
      ObjectCollection collection, @Nullable StoredObject previous, ObjectNode tree) {
    StoredObject current = StoredObject.of(tree, collection.selectable(), ++version);
    publish(collection, new Change(version, previous, current, false));
    return current;
  }

  /** Restores an object that an earlier server stored, under the version that it had. */
  public void restore(ObjectCollection collection, ObjectNode tree) {
    long at = tree.at("/metadata/resourceVersion").asLong();
    StoredObject object = StoredObject.of(tree, collection.selectable(), at);
    publish(collection, new Change(at, null, object, false));
  }

  /** Continues after a version; reads from earlier versions fail from now on. */
  public void resumeAfter(long last) {
    version = Math.max(version, last);
    compact();
  }

  /** Makes a stored object that is not stored, as a dry run answers. */
  public static StoredObject preview(ObjectCollection collection, ObjectNode tree, long version) {
    return StoredObject.of(tree, collection.selectable(), version);
  }

  /** Removes an object; returns its last state under the new version. */
  public StoredObject delete(ObjectCollection collection, StoredObject previous) {
    StoredObject last = StoredObject.of(previous.bareTree(), collection.selectable(), ++version);
    publish(collection, new Change(version, previous, last, true));
    return last;
  }

  private void publish(ObjectCollection collection, Change change) {
    collection.record(change);
    for (BiConsumer<ObjectCollection, Change> listener : listeners) {
      listener.accept(collection, change);
    }
  }
}
