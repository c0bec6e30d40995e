// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import dev.coxswain.reconcile.Request;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The objects of a list in progress.
 *
 * <p>Thread rule: confined to its reflector's thread.
 */
public final class Snapshot {

  private final Map<Request, Entry> found = new HashMap<>();
  private final Set<Request> unreadable = new HashSet<>();
  private final Map<String, String> namespaces = new HashMap<>();

  public void put(Entry.Keyed object) {
    unreadable.remove(object.key());
    found.put(object.key(), object.entry());
  }

  /** Adds an object that exists but cannot be read: its last readable state is kept. */
  public void unreadable(Request key) {
    found.remove(key);
    unreadable.add(key);
  }

  public void remove(Request key) {
    found.remove(key);
    unreadable.remove(key);
  }

  /** Clears everything, because the list starts again. */
  public void clear() {
    found.clear();
    unreadable.clear();
  }

  /** Removes the objects of a namespace, because its list starts again. */
  public void clear(String namespace) {
    found.keySet().removeIf(key -> key.namespace().equals(namespace));
    unreadable.removeIf(key -> key.namespace().equals(namespace));
  }

  /** A namespace was listed by itself, at a version. */
  public void listed(String namespace, String version) {
    namespaces.put(namespace, version);
  }

  /** Returns the versions of the namespaces that were listed by themselves. */
  public Map<String, String> namespaces() {
    return Map.copyOf(namespaces);
  }

  public Map<Request, Entry> found() {
    return found;
  }

  /** Returns whether the object is in the list, readable or not. */
  public boolean has(Request key) {
    return found.containsKey(key) || unreadable.contains(key);
  }
}
