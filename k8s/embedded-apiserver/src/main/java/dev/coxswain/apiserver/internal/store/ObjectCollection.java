// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The objects of one resource with the latest changes; confined to the server's event loop. */
public final class ObjectCollection {
  private final String storage;
  private final List<String> selectable;
  private final int historyLimit;
  private final NavigableMap<String, StoredObject> objects = new TreeMap<>();
  private final Deque<Change> history = new ArrayDeque<>();

  /** The oldest version from which a watch can continue. */
  private long oldest;

  ObjectCollection(String storage, List<String> selectable, int historyLimit, long version) {
    this.storage = storage;
    this.selectable = selectable;
    this.historyLimit = historyLimit;
    this.oldest = version;
  }

  /** Key of this collection, as in {@code apps/deployments}. */
  public String storage() {
    return storage;
  }

  /** Paths whose values the objects carry for field selectors. */
  public List<String> selectable() {
    return selectable;
  }

  public @Nullable StoredObject get(String namespace, String name) {
    return objects.get(StoredObject.key(namespace, name));
  }

  public int size() {
    return objects.size();
  }

  /** Returns the objects of a namespace in order; empty = all namespaces. */
  public NavigableMap<String, StoredObject> range(String namespace) {
    // '0' is the character behind '/', so this is every key that starts with the namespace and a
    // slash
    return namespace.isEmpty()
        ? objects
        : objects.subMap(namespace + "/", true, namespace + "0", false);
  }

  /**
   * Returns the objects of a namespace as they were at {@code version}; the caller has checked
   * {@link #oldest}.
   */
  public NavigableMap<String, StoredObject> rangeAt(String namespace, long version) {
    NavigableMap<String, StoredObject> now = range(namespace);
    Map<String, @Nullable StoredObject> undo = new HashMap<>();
    for (Change change : history) {
      boolean inside = namespace.isEmpty() || change.current().namespace().equals(namespace);
      if (change.version() > version && inside && !undo.containsKey(change.current().key())) {
        undo.put(change.current().key(), change.previous());
      }
    }
    if (undo.isEmpty()) {
      return now;
    }
    NavigableMap<String, StoredObject> then = new TreeMap<>(now);
    undo.forEach((key, previous) -> {
      if (previous == null) {
        then.remove(key);
      } else {
        then.put(key, previous);
      }
    });
    return then;
  }

  /** Returns the changes after {@code version}, oldest first. */
  public List<Change> since(long version) {
    List<Change> changes = new ArrayList<>();
    for (Change change : history) {
      if (change.version() > version) {
        changes.add(change);
      }
    }
    return changes;
  }

  /** The oldest version from which a watch or an exact list can start. */
  public long oldest() {
    return oldest;
  }

  /** Forgets the history; reading from before {@code version} fails from now on. */
  void compact(long version) {
    history.clear();
    oldest = version;
  }

  /** Shows an object in another form under its version, without an event. */
  public void refresh(StoredObject stored, ObjectNode tree) {
    objects.put(stored.key(), StoredObject.of(tree, selectable, stored.version()));
  }

  void record(Change change) {
    if (change.deleted()) {
      objects.remove(change.current().key());
    } else {
      objects.put(change.current().key(), change.current());
    }
    history.addLast(change);
    while (history.size() > historyLimit) {
      oldest = history.removeFirst().version();
    }
  }
}
