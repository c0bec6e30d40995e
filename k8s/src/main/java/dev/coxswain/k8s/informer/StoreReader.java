// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.cache.Entry;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.cache.Lister;
import dev.coxswain.k8s.cache.ObjectKeys;
import dev.coxswain.k8s.selector.LabelSelector;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads of the objects of several informers as one.
 *
 * <p>Thread rule: any thread; nothing blocks.
 */
final class StoreReader<T extends KubernetesObject> implements Lister<T> {

  private final String name;
  private final List<Informer<T>> caches;
  private final Set<Index<T>> indexes;
  private final @Nullable ObjectKeys owned;
  private final Consumer<String> watched;

  private record Found<T extends KubernetesObject>(Informer<T> cache, Entry entry) {}

  /** Receives an object of a list. */
  private interface Visitor<T extends KubernetesObject> {
    void visit(Informer<T> cache, Request key, Entry entry);
  }

  /**
   * Creates a reader.
   *
   * @param owned leaves out the objects that this does not map to a request of a kept slot; null for
   *     all that are in the stores
   * @param watched throws for a namespace that the deployment leaves out
   */
  StoreReader(
      String name,
      List<Informer<T>> caches,
      Set<Index<T>> indexes,
      @Nullable ObjectKeys owned,
      Consumer<String> watched) {
    this.name = name;
    this.caches = caches;
    this.indexes = indexes;
    this.owned = owned;
    this.watched = watched;
  }

  @Nullable Entry find(Request key) {
    Found<T> found = lookUp(key);
    return found == null ? null : found.entry;
  }

  private @Nullable Found<T> lookUp(Request key) {
    for (Informer<T> cache : caches) {
      Entry entry = cache.find(key);
      if (entry != null && owns(cache, key, entry)) {
        return new Found<>(cache, entry);
      }
    }
    return null;
  }

  private boolean owns(Informer<T> cache, Request key, Entry entry) {
    return owned == null || cache.filter().owns(owned, key, entry);
  }

  /** Visits all objects of one namespace, or of all. */
  private void each(@Nullable String namespace, Visitor<T> action) {
    for (Informer<T> cache : caches) {
      cache
          .entries()
          .forEach((present, names) -> {
            if (namespace == null || namespace.equals(present)) {
              names.forEach(
                  (name, entry) -> visit(cache, new Request(present, name), entry, action));
            }
          });
    }
  }

  private void visit(Informer<T> cache, Request key, Entry entry, Visitor<T> action) {
    if (owns(cache, key, entry)) {
      action.visit(cache, key, entry);
    }
  }

  private List<T> listed(@Nullable String namespace) {
    List<T> all = new ArrayList<>();
    each(namespace, (cache, key, entry) -> all.add(cache.decode(key, entry)));
    return all;
  }

  @Override
  public Optional<T> get(Request key) {
    watched.accept(key.namespace());
    Found<T> found = lookUp(key);
    return found == null ? Optional.empty() : Optional.of(found.cache.decode(key, found.entry));
  }

  @Override
  public boolean contains(Request key) {
    watched.accept(key.namespace());
    return find(key) != null;
  }

  @Override
  public List<Request> keys() {
    List<Request> keys = new ArrayList<>();
    each(null, (cache, key, entry) -> keys.add(key));
    return keys;
  }

  @Override
  public List<T> list() {
    return listed(null);
  }

  @Override
  public List<T> list(String namespace) {
    watched.accept(namespace);
    return listed(namespace);
  }

  @Override
  public List<T> list(LabelSelector selector) {
    List<T> selected = new ArrayList<>();
    each(
        null,
        (cache, key, entry) -> {
          if (selector.matches(entry.labels())) {
            selected.add(cache.decode(key, entry));
          }
        });
    return selected;
  }

  @Override
  public List<T> list(Index<T> index, String value) {
    if (!indexes.contains(index)) {
      throw new IllegalArgumentException(
          "the cache of "
              + name
              + " has no index \""
              + index.name()
              + "\": declare it when the informer is created");
    }
    List<T> found = new ArrayList<>();
    for (Informer<T> cache : caches) {
      Map<Request, Entry> indexed = cache.find(index, value);
      if (indexed != null) {
        indexed.forEach((key, entry) ->
            visit(cache, key, entry, (_, own, state) -> found.add(cache.decode(own, state))));
      } else {
        cache
            .entries()
            .forEach((namespace, names) ->
                names.forEach((name, entry) ->
                    visit(
                        cache,
                        new Request(namespace, name),
                        entry,
                        (_, own, state) -> {
                          if (index.has(own, state, cache.key().type().type(), value)) {
                            found.add(cache.decode(own, state));
                          }
                        })));
      }
    }
    return found;
  }
}
