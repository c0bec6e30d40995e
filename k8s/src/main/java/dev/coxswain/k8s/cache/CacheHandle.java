// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import dev.coxswain.k8s.client.LabelSelector;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One user's share of a cache. The last one that is closed stops the cache.
 *
 * <p>Thread rule: any thread; nothing blocks.
 *
 * @param <T> the class of the objects
 */
public final class CacheHandle<T extends KubernetesObject>
    implements ObjectReader<T>, AutoCloseable {

  private final SharedCaches owner;
  private final SharedCache<T> cache;
  private final AtomicBoolean closed = new AtomicBoolean();

  CacheHandle(SharedCaches owner, SharedCache<T> cache) {
    this.owner = owner;
    this.cache = cache;
  }

  /**
   * Tells {@code listener} of everything that is there and then of every change.
   *
   * @param name who listens, for logs
   * @param listener called on a virtual thread of its own
   */
  public Subscription subscribe(String name, ObjectListener<T> listener) {
    if (closed.get()) {
      throw new IllegalStateException("the cache of " + cache.key() + " has been given back");
    }
    Delivery<T> delivery = new Delivery<>(name, cache.key().type().type(), listener);
    // The snapshot may be large: it is taken on the delivery's thread, not on the caller's.
    Thread.ofVirtual()
        .name("coxswain-deliver " + name)
        .start(() -> {
          cache.attach(delivery);
          delivery.run();
        });
    return new Subscription() {
      @Override
      public Future<Void> synced() {
        return delivery.synced();
      }

      @Override
      public int backlog() {
        return delivery.backlog();
      }

      @Override
      public void resync() {
        Thread.ofVirtual().name("coxswain-resync " + name).start(() -> cache.resync(delivery));
      }

      @Override
      public Future<Void> cancel() {
        Thread.ofVirtual().name("coxswain-cancel " + name).start(() -> cache.detach(delivery));
        return delivery.ended();
      }
    };
  }

  /** Returns how the cache is doing. */
  public CacheStatus status() {
    return owner.status(cache);
  }

  /** Returns what the cache holds. */
  public CacheKey<T> key() {
    return cache.key();
  }

  /** Returns how far the cache has followed the server. */
  public CacheProgress progress() {
    return cache.progress();
  }

  /** Returns which version of an object the cache has, or null when it has none. */
  public @Nullable ObjectVersion version(Request object) {
    Entry entry = cache.find(object);
    return entry == null ? null : new ObjectVersion(entry.uid(), entry.resourceVersion());
  }

  /** Returns whether the cache has held a complete list at least once. */
  public boolean isSynced() {
    return cache.isSynced();
  }

  @Override
  public Optional<T> get(Request key) {
    Entry entry = cache.find(key);
    return entry == null ? Optional.empty() : Optional.of(decode(entry));
  }

  @Override
  public boolean contains(Request key) {
    return cache.find(key) != null;
  }

  @Override
  public List<Request> keys() {
    List<Request> keys = new ArrayList<>();
    cache
        .entries()
        .forEach((namespace, names) ->
            names.keySet().forEach(name -> keys.add(new Request(namespace, name))));
    return keys;
  }

  @Override
  public List<T> list() {
    List<T> all = new ArrayList<>();
    for (Map<String, Entry> names : cache.entries().values()) {
      names.values().forEach(entry -> all.add(decode(entry)));
    }
    return all;
  }

  @Override
  public List<T> list(String namespace) {
    List<T> all = new ArrayList<>();
    Map<String, Entry> names = cache.entries().get(namespace);
    if (names != null) {
      names.values().forEach(entry -> all.add(decode(entry)));
    }
    return all;
  }

  @Override
  public List<T> list(LabelSelector selector) {
    List<T> selected = new ArrayList<>();
    for (T object : list()) {
      @Nullable V1ObjectMeta metadata = object.getMetadata();
      if (selector.matches(metadata == null ? null : metadata.getLabels())) {
        selected.add(object);
      }
    }
    return selected;
  }

  private T decode(Entry entry) {
    return entry.decode(cache.key().type().type());
  }

  /** Gives the cache back. Subscriptions must have been cancelled. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      owner.release(cache);
    }
  }
}
