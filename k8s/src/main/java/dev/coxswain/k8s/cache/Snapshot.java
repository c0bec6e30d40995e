// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import dev.coxswain.reconcile.Request;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What a list has found so far.
 *
 * <p>Thread rule: confined to its reflector's thread.
 */
final class Snapshot {

  private final Map<Request, Entry> found = new HashMap<>();
  private final Set<Request> unreadable = new HashSet<>();

  void put(Entry.Keyed object) {
    unreadable.remove(object.key());
    found.put(object.key(), object.entry());
  }

  /** Notes an object that exists but cannot be read: what is known of it is to be kept. */
  void unreadable(Request key) {
    found.remove(key);
    unreadable.add(key);
  }

  void remove(Request key) {
    found.remove(key);
    unreadable.remove(key);
  }

  /** Forgets everything: the list begins anew. */
  void clear() {
    found.clear();
    unreadable.clear();
  }

  Map<Request, Entry> found() {
    return found;
  }

  /** Returns whether there is such an object, readable or not. */
  boolean has(Request key) {
    return found.containsKey(key) || unreadable.contains(key);
  }
}
