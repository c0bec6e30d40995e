// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.cache.Entry;
import dev.coxswain.reconcile.Request;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The objects of an informer, by namespace and name.
 *
 * <p>Thread rule: changed under the informer's lock; read from any thread without it.
 */
final class EntryStore {

  /** By namespace, then by name, which is also the index of namespaces. */
  private final Map<String, Map<String, Entry>> store = new ConcurrentHashMap<>();

  /**
   * One String instance per namespace, under the lock. Work queues keep the keys they receive: a
   * String of its own would cost each key some 40 bytes, and each walk over them a cache miss.
   */
  private final Map<String, String> namespaces = new HashMap<>();

  private final AtomicLong bytes = new AtomicLong();

  /** Returns the same key with the String instance of its namespace; under the lock. */
  Request shared(Request key) {
    String namespace = namespaces.get(key.namespace());
    return namespace == null ? key : new Request(namespace, key.name());
  }

  @Nullable Entry find(Request object) {
    Map<String, Entry> names = store.get(object.namespace());
    return names == null ? null : names.get(object.name());
  }

  /** Returns all objects by namespace and name; a live view that must not be changed. */
  Map<String, Map<String, Entry>> all() {
    return store;
  }

  void forEach(BiConsumer<Request, Entry> action) {
    store.forEach((namespace, names) ->
        names.forEach((name, entry) -> action.accept(new Request(namespace, name), entry)));
  }

  /** Visits the objects of some namespaces; null for all. */
  void forEach(@Nullable Set<String> namespaces, BiConsumer<Request, Entry> action) {
    if (namespaces == null) {
      forEach(action);
      return;
    }
    for (String namespace : namespaces) {
      Map<String, Entry> names = store.getOrDefault(namespace, Map.of());
      names.forEach((name, entry) -> action.accept(new Request(namespace, name), entry));
    }
  }

  /** Stores an object; {@code key} is {@linkplain #shared shared}. */
  void put(Request key, Entry entry) {
    namespaces.putIfAbsent(key.namespace(), key.namespace());
    Map<String, Entry> names =
        store.computeIfAbsent(key.namespace(), added -> new ConcurrentHashMap<>());
    Entry before = names.put(key.name(), entry);
    bytes.addAndGet(entry.json().length - (before == null ? 0 : before.json().length));
  }

  void remove(Request key) {
    Map<String, Entry> names = store.get(key.namespace());
    Entry before = names == null ? null : names.remove(key.name());
    if (names == null || before == null) {
      return;
    }
    bytes.addAndGet(-before.json().length);
    if (names.isEmpty()) {
      // Names are added under the lock, so none is added at the same time.
      store.remove(key.namespace());
      namespaces.remove(key.namespace());
    }
  }

  int size() {
    return store.values().stream().mapToInt(Map::size).sum();
  }

  /** Returns the size of the stored JSON. */
  long bytes() {
    return bytes.get();
  }
}
