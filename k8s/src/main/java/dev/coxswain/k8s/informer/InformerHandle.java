// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.CacheProgress;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.k8s.cache.Entry;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.cache.Lister;
import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.cache.ObjectListener;
import dev.coxswain.k8s.cache.ObjectVersion;
import dev.coxswain.k8s.cache.Subscription;
import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.k8s.resource.LabelSelector;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Trigger;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One user's share of an informer, or of several informers that are read as one. An informer stops
 * when its last share is closed.
 *
 * <p>Thread rule: any thread; nothing blocks.
 *
 * @param <T> the class of the objects
 */
public final class InformerHandle<T extends KubernetesObject> implements Lister<T>, AutoCloseable {

  private final InformerRegistry owner;
  private final List<Informer<T>> caches;
  private final Set<Index<T>> indexes;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Thread indexing;

  InformerHandle(InformerRegistry owner, List<Informer<T>> caches, Set<Index<T>> indexes) {
    this.owner = owner;
    this.caches = List.copyOf(caches);
    this.indexes = Set.copyOf(indexes);
    // Filling it takes a while for a large store; until then readers scan all objects.
    this.indexing = thread("index", () -> eachIndex(Informer::addIndex));
    if (!indexes.isEmpty()) {
      indexing.start();
    }
  }

  /**
   * Delivers all present objects to {@code listener}, then every change.
   *
   * @param name the name of the listener, for logs
   * @param listener called on a virtual thread of its own
   */
  public Subscription subscribe(String name, ObjectListener<T> listener) {
    if (closed.get()) {
      throw new IllegalStateException("the cache of " + name() + " has been closed");
    }
    ListenerQueue<T> queue =
        new ListenerQueue<>(name, type(), listener, caches.size(), owner.clock());
    Thread.ofVirtual()
        .name("coxswain-deliver " + name)
        .start(new DeliverySupervisor<>(queue, caches));
    return new Subscription() {
      @Override
      public Future<Void> synced() {
        return queue.synced();
      }

      @Override
      public int backlog() {
        return queue.backlog();
      }

      @Override
      public Optional<String> problem() {
        return queue.problem();
      }

      @Override
      public Optional<String> failure() {
        return queue.failure();
      }

      @Override
      public void resync() {
        thread("resync", () -> caches.forEach(cache -> cache.resync(queue))).start();
      }

      @Override
      public Future<Void> cancel() {
        thread("cancel", () -> caches.forEach(cache -> cache.detach(queue))).start();
        return queue.ended();
      }
    };
  }

  private Thread thread(String what, Runnable action) {
    return Thread.ofVirtual()
        .name("coxswain-" + what + " " + name())
        .unstarted(() -> {
          try {
            action.run();
          } catch (Throwable e) {
            // The future of this thread is not awaited: a failure that is not logged here is lost.
            new UserCode("cache", name()).failed("task of a cache failed: " + what, null, e);
          }
        });
  }

  /**
   * Returns the key of the informer.
   *
   * @throws IllegalStateException when there are several informers
   */
  public CacheKey<T> key() {
    return only().key();
  }

  /**
   * Returns the progress of the informer.
   *
   * @throws IllegalStateException when there are several informers
   */
  public CacheProgress progress() {
    return only().progress();
  }

  private Informer<T> only() {
    if (caches.size() > 1) {
      throw new IllegalStateException("there is no single cache of " + name());
    }
    return caches.getFirst();
  }

  /** Returns the version of an object in the cache, or null when it has none. */
  public @Nullable ObjectVersion version(Request object) {
    Entry entry = find(object);
    return entry == null ? null : new ObjectVersion(entry.uid(), entry.resourceVersion());
  }

  private void dropIndexes() {
    try {
      indexing.join();
      eachIndex(Informer::dropIndex);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void eachIndex(BiConsumer<Informer<T>, Index<T>> action) {
    caches.forEach(cache -> indexes.forEach(index -> action.accept(cache, index)));
  }

  private Class<T> type() {
    return caches.getFirst().key().type().type();
  }

  private String name() {
    return caches.stream().map(cache -> cache.key().toString()).collect(Collectors.joining(", "));
  }

  /** Returns the status of each informer; there are several with several namespaces. */
  public List<CacheStatus> statuses() {
    return caches.stream().map(owner::status).toList();
  }

  /** Returns the status of the informer, or of the first one when there are several. */
  public CacheStatus status() {
    return owner.status(caches.getFirst());
  }

  /** Returns whether all caches have held a complete list at least once. */
  public boolean isSynced() {
    return caches.stream().allMatch(Informer::isSynced);
  }

  @Override
  public Optional<T> get(Request key) {
    Entry entry = find(key);
    return entry == null ? Optional.empty() : Optional.of(entry.decode(type()));
  }

  /** Returns an object as an initial list would deliver it; empty when it is not in the cache. */
  public Optional<ObjectEvent<T>> asListed(Request key) {
    Entry entry = find(key);
    return entry == null
        ? Optional.empty()
        : Optional.of(
            new ObjectEvent<>(
                ObjectEvent.Kind.ADDED, key, null, entry, Trigger.INITIAL_LIST, type()));
  }

  @Override
  public boolean contains(Request key) {
    return find(key) != null;
  }

  /** Returns whether an object with selected labels is in the cache; cheaper than reading it. */
  public boolean contains(Request key, LabelSelector selector) {
    Entry entry = find(key);
    return entry != null && selector.matches(entry.labels());
  }

  private @Nullable Entry find(Request key) {
    for (Informer<T> cache : caches) {
      Entry entry = cache.find(key);
      if (entry != null) {
        return entry;
      }
    }
    return null;
  }

  @Override
  public List<Request> keys() {
    List<Request> keys = new ArrayList<>();
    for (Informer<T> cache : caches) {
      cache
          .entries()
          .forEach((namespace, names) ->
              names.keySet().forEach(name -> keys.add(new Request(namespace, name))));
    }
    return keys;
  }

  @Override
  public List<T> list() {
    List<T> all = new ArrayList<>();
    for (Informer<T> cache : caches) {
      cache.entries().values().forEach(names -> decode(names.values(), all));
    }
    return all;
  }

  @Override
  public List<T> list(String namespace) {
    List<T> all = new ArrayList<>();
    for (Informer<T> cache : caches) {
      decode(cache.entries().getOrDefault(namespace, Map.of()).values(), all);
    }
    return all;
  }

  @Override
  public List<T> list(LabelSelector selector) {
    List<T> selected = list();
    selected.removeIf(object -> !selector.matches(labels(object)));
    return selected;
  }

  private static @Nullable Map<String, String> labels(KubernetesObject object) {
    @Nullable V1ObjectMeta metadata = object.getMetadata();
    return metadata == null ? null : metadata.getLabels();
  }

  @Override
  public List<T> list(Index<T> index, String value) {
    if (!indexes.contains(index)) {
      throw new IllegalArgumentException(
          "the cache of "
              + name()
              + " has no index \""
              + index.name()
              + "\": declare it when the informer is created");
    }
    List<T> found = new ArrayList<>();
    for (Informer<T> cache : caches) {
      Collection<Entry> indexed = cache.find(index, value);
      if (indexed != null) {
        decode(indexed, found);
      } else {
        List<T> all = new ArrayList<>();
        cache.entries().values().forEach(names -> decode(names.values(), all));
        all.removeIf(object -> !index.has(object, value));
        found.addAll(all);
      }
    }
    return found;
  }

  private void decode(Collection<Entry> entries, List<T> into) {
    entries.forEach(entry -> into.add(entry.decode(type())));
  }

  /** Releases the informers. Subscriptions must have been cancelled. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      if (!indexes.isEmpty()) {
        thread("unindex", this::dropIndexes).start();
      }
      caches.forEach(owner::release);
    }
  }
}
