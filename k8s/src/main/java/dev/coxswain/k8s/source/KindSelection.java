// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.k8s.cache.CacheHandle;
import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.SharedCaches;
import dev.coxswain.k8s.client.ResourceType;
import dev.coxswain.k8s.handler.EventHandler;
import dev.coxswain.k8s.handler.Handlers;
import dev.coxswain.k8s.overlay.OwnWrites;
import dev.coxswain.k8s.predicate.EventPredicate;
import io.kubernetes.client.common.KubernetesObject;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Says which objects to watch and what to do about them, then makes a {@link KindSource}. Without
 * further words all objects of all namespaces are watched, and each is reconciled itself.
 *
 * <p>Thread rule: immutable.
 *
 * @param <T> the class of the objects
 */
public final class KindSelection<T extends KubernetesObject> {

  private final SharedCaches caches;
  private final CacheKey<T> key;
  private final @Nullable EventPredicate<T> filter;
  private final EventHandler<T> handler;
  private final Duration resync;
  private final @Nullable OwnWrites ownWrites;

  private KindSelection(
      SharedCaches caches,
      CacheKey<T> key,
      @Nullable EventPredicate<T> filter,
      EventHandler<T> handler,
      Duration resync,
      @Nullable OwnWrites ownWrites) {
    this.caches = caches;
    this.key = key;
    this.filter = filter;
    this.handler = handler;
    this.resync = resync;
    this.ownWrites = ownWrites;
  }

  /** Returns the selection of all objects of a resource. */
  public static <T extends KubernetesObject> KindSelection<T> of(
      SharedCaches caches, ResourceType<T> type) {
    return new KindSelection<>(
        caches, new CacheKey<>(type, "", "", ""), null, Handlers.object(), Duration.ZERO, null);
  }

  /** Restricts this to one namespace. */
  public KindSelection<T> inNamespace(String namespace) {
    return withKey(new CacheKey<>(key.type(), namespace, key.labelSelector(), key.fieldSelector()));
  }

  /** Restricts this to objects with selected labels; the server leaves the others out. */
  public KindSelection<T> labels(String selector) {
    return withKey(new CacheKey<>(key.type(), key.namespace(), selector, key.fieldSelector()));
  }

  /** Restricts this to objects with selected fields; the server leaves the others out. */
  public KindSelection<T> fields(String selector) {
    return withKey(new CacheKey<>(key.type(), key.namespace(), key.labelSelector(), selector));
  }

  /** Ignores events that {@code predicate} stops; several filters must all pass. */
  public KindSelection<T> filter(EventPredicate<T> predicate) {
    Objects.requireNonNull(predicate, "predicate");
    return new KindSelection<>(
        caches,
        key,
        filter == null ? predicate : filter.and(predicate),
        handler,
        resync,
        ownWrites);
  }

  /** Finds requests in another way than by the object's own name. */
  public KindSelection<T> handledBy(EventHandler<T> value) {
    return new KindSelection<>(
        caches, key, filter, Objects.requireNonNull(value, "handler"), resync, ownWrites);
  }

  /** Looks at all objects again at this interval, at low priority; zero for never, the default. */
  public KindSelection<T> resyncEvery(Duration interval) {
    if (interval.isNegative()) {
      throw new IllegalArgumentException("the resync interval must not be negative: " + interval);
    }
    return new KindSelection<>(caches, key, filter, handler, interval, ownWrites);
  }

  /**
   * Lets the source answer reads with at least what has been written through these resources while
   * it runs: until its cache has heard of a write, the server's answer to it is shown. Not for
   * selections with {@link #fields}.
   *
   * @param writes from {@code Kubernetes.ownWrites()}
   */
  public KindSelection<T> readYourWrites(OwnWrites writes) {
    return new KindSelection<>(
        caches, key, filter, handler, resync, Objects.requireNonNull(writes, "writes"));
  }

  /** Makes a source for one controller. */
  public KindSource<T> toSource() {
    if (ownWrites != null) {
      OwnWrites.requireNoFieldSelector(key);
    }
    return new KindSource<>(
        caches, key, filter == null ? event -> true : filter, handler, resync, ownWrites);
  }

  /**
   * Opens the cache of the selected objects without watching for events; to be closed. Useful for
   * reading what no source of the controller watches.
   */
  public CacheHandle<T> openCache() {
    return caches.use(key);
  }

  private KindSelection<T> withKey(CacheKey<T> value) {
    return new KindSelection<>(caches, value, filter, handler, resync, ownWrites);
  }
}
