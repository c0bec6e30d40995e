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
public final class Snapshot {

  private final Map<Request, Entry> found = new HashMap<>();
  private final Set<Request> unreadable = new HashSet<>();

  public void put(Entry.Keyed object) {
    unreadable.remove(object.key());
    found.put(object.key(), object.entry());
  }

  /** Notes an object that exists but cannot be read: what is known of it is to be kept. */
  public void unreadable(Request key) {
    found.remove(key);
    unreadable.add(key);
  }

  public void remove(Request key) {
    found.remove(key);
    unreadable.remove(key);
  }

  /** Forgets everything: the list begins anew. */
  public void clear() {
    found.clear();
    unreadable.clear();
  }

  public Map<Request, Entry> found() {
    return found;
  }

  /** Returns whether there is such an object, readable or not. */
  public boolean has(Request key) {
    return found.containsKey(key) || unreadable.contains(key);
  }
}
