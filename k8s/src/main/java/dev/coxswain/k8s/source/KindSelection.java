// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.internal.time.Durations;
import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.cache.ObjectTransform;
import dev.coxswain.k8s.cache.ownwrites.RecentWrites;
import dev.coxswain.k8s.informer.InformerHandle;
import dev.coxswain.k8s.informer.InformerRegistry;
import dev.coxswain.k8s.resource.ResourceType;
import io.kubernetes.client.common.KubernetesObject;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
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

  private final InformerRegistry caches;
  private final CacheSelection<T> selection;
  private final @Nullable EventPredicate<T> filter;
  private final EventHandler<T> handler;
  private final Duration resync;
  private final @Nullable RecentWrites ownWrites;

  private KindSelection(
      InformerRegistry caches,
      CacheSelection<T> selection,
      @Nullable EventPredicate<T> filter,
      EventHandler<T> handler,
      Duration resync,
      @Nullable RecentWrites ownWrites) {
    this.caches = caches;
    this.selection = selection;
    this.filter = filter;
    this.handler = handler;
    this.resync = resync;
    this.ownWrites = ownWrites;
  }

  /** Returns the selection of all objects of a resource. */
  public static <T extends KubernetesObject> KindSelection<T> of(
      InformerRegistry caches, ResourceType<T> type) {
    return new KindSelection<>(
        caches,
        new CacheSelection<>(List.of(new CacheKey<>(type, "", "", "")), Set.of()),
        null,
        Handlers.object(),
        Duration.ZERO,
        null);
  }

  /** Restricts this to one namespace. */
  public KindSelection<T> inNamespace(String namespace) {
    return inNamespaces(Set.of(namespace));
  }

  /**
   * Restricts this to some namespaces: one list and one watch for each, for a service account that
   * may not see the others.
   */
  public KindSelection<T> inNamespaces(Set<String> namespaces) {
    return with(selection.inNamespaces(namespaces));
  }

  /** Restricts this to objects with selected labels; the server leaves the others out. */
  public KindSelection<T> labels(String selector) {
    return with(selection.each(key -> key.labels(selector)));
  }

  /** Restricts this to objects with selected fields; the server leaves the others out. */
  public KindSelection<T> fields(String selector) {
    return with(selection.each(key -> key.fields(selector)));
  }

  /** Changes objects before they are kept, to save memory. */
  public KindSelection<T> transformedBy(ObjectTransform transform) {
    return with(selection.each(key -> key.transformedBy(transform)));
  }

  /** Keeps an index, for {@link dev.coxswain.k8s.cache.Lister#list(Index, String)}. */
  public KindSelection<T> indexedBy(Index<T> index) {
    return with(selection.indexedBy(index));
  }

  /** Ignores events that {@code predicate} stops; several filters must all pass. */
  public KindSelection<T> filter(EventPredicate<T> predicate) {
    Objects.requireNonNull(predicate, "predicate");
    return new KindSelection<>(
        caches,
        selection,
        filter == null ? predicate : filter.and(predicate),
        handler,
        resync,
        ownWrites);
  }

  /** Finds requests in another way than by the object's own name. */
  public KindSelection<T> handledBy(EventHandler<T> value) {
    return new KindSelection<>(
        caches, selection, filter, Objects.requireNonNull(value, "handler"), resync, ownWrites);
  }

  /**
   * Looks at all objects again at this interval, at low priority; zero for never, the default.
   *
   * <p>What comes and goes between the end of a watch and the list that takes its place, nobody is
   * told. A controller that makes objects, and must make again each one that somebody else deletes
   * however soon, sets it for the objects that it makes them for.
   */
  public KindSelection<T> resyncEvery(Duration interval) {
    if (interval.isNegative()) {
      throw new IllegalArgumentException("the resync interval must not be negative: " + interval);
    }
    return new KindSelection<>(
        caches, selection, filter, handler, Durations.clamp(interval), ownWrites);
  }

  /**
   * Lets the source answer reads with at least what has been written through these resources while
   * it runs: until its cache has heard of a write, the server's answer to it is shown. Not for
   * selections with {@link #fields} or of several namespaces.
   *
   * @param writes from {@code Kubernetes.ownWrites()}
   */
  public KindSelection<T> readYourWrites(RecentWrites writes) {
    return new KindSelection<>(
        caches, selection, filter, handler, resync, Objects.requireNonNull(writes, "writes"));
  }

  /** Makes a source for one controller. */
  public KindSource<T> toSource() {
    if (ownWrites != null) {
      RecentWrites.requireNoFieldSelector(selection.only("own writes are read"));
    }
    return new KindSource<>(
        caches, selection, filter == null ? event -> true : filter, handler, resync, ownWrites);
  }

  /**
   * Opens the cache of the selected objects without watching for events; to be closed. Useful for
   * reading what no source of the controller watches.
   */
  public InformerHandle<T> openCache() {
    return selection.open(caches);
  }

  private KindSelection<T> with(CacheSelection<T> value) {
    return new KindSelection<>(caches, value, filter, handler, resync, ownWrites);
  }
}
