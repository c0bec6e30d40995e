// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.internal.time.Durations;
import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.cache.CacheUser;
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
 * A builder of a {@link KindSource}: the objects to watch and the handling of their events. By
 * default all objects of all namespaces are watched, and each is reconciled itself.
 *
 * <p>Thread rule: immutable.
 *
 * @param <T> the class of the objects
 */
public final class KindSelection<T extends KubernetesObject> {

  private final InformerRegistry caches;
  private final Set<String> watched;
  private final CacheSelection<T> selection;
  private final @Nullable EventPredicate<T> filter;
  private final EventHandler<T> handler;
  private final Duration resync;
  private final @Nullable RecentWrites ownWrites;

  private KindSelection(
      InformerRegistry caches,
      Set<String> watched,
      CacheSelection<T> selection,
      @Nullable EventPredicate<T> filter,
      EventHandler<T> handler,
      Duration resync,
      @Nullable RecentWrites ownWrites) {
    this.caches = caches;
    this.watched = watched;
    this.selection = selection;
    this.filter = filter;
    this.handler = handler;
    this.resync = resync;
    this.ownWrites = ownWrites;
  }

  /** Returns the selection of all objects of a resource. */
  public static <T extends KubernetesObject> KindSelection<T> of(
      InformerRegistry caches, ResourceType<T> type) {
    return of(caches, type, Set.of());
  }

  /**
   * Returns the selection of all objects of a resource in the namespaces of a deployment.
   *
   * @param watched the namespaces to which the selection is restricted in the end, whatever is
   *     selected; empty for all. Without effect on a resource without namespaces
   */
  public static <T extends KubernetesObject> KindSelection<T> of(
      InformerRegistry caches, ResourceType<T> type, Set<String> watched) {
    return new KindSelection<>(
        caches,
        Set.copyOf(watched),
        new CacheSelection<>(
            List.of(new CacheKey<>(type, "", "", "").inCluster(caches.cluster())),
            Set.of(),
            false,
            false),
        null,
        Handlers.object(),
        Duration.ZERO,
        null);
  }

  /** Returns the resource. */
  public ResourceType<T> type() {
    return selection.keys().getFirst().type();
  }

  /** Restricts this to one namespace. */
  public KindSelection<T> inNamespace(String namespace) {
    return inNamespaces(Set.of(namespace));
  }

  /**
   * Restricts this to some namespaces: one list and one watch for each, for a service account
   * without access to the others. A deployment may restrict it further.
   */
  public KindSelection<T> inNamespaces(Set<String> namespaces) {
    return with(selection.inNamespaces(namespaces));
  }

  /** Restricts this to objects with selected labels, on the server. */
  public KindSelection<T> labels(String selector) {
    return with(selection.each(key -> key.labels(selector)));
  }

  /** Restricts this to objects with selected fields, on the server. */
  public KindSelection<T> fields(String selector) {
    return with(selection.each(key -> key.fields(selector)));
  }

  /**
   * Keeps all objects on every replica, also in a sharded controller. By default a sharded
   * controller keeps the objects that map to its own requests, and reading others throws a {@link
   * dev.coxswain.k8s.cache.ForeignObjectException}. For sources that the controller reads besides
   * its own objects. Also kept in full is what a {@link Handlers#map} handles, since its requests
   * depend on more than the object, and what another controller needs in full.
   */
  public KindSelection<T> full() {
    return with(selection.inFull());
  }

  /** Transforms objects before they are stored, to save memory. */
  public KindSelection<T> transformedBy(ObjectTransform transform) {
    return with(selection.each(key -> key.transformedBy(transform)));
  }

  /** Keeps an index, for {@link dev.coxswain.k8s.cache.Lister#list(Index, String)}. */
  public KindSelection<T> indexedBy(Index<T> index) {
    return with(selection.indexedBy(index));
  }

  /** Stops events that {@code predicate} does not pass; several filters must all pass. */
  public KindSelection<T> filter(EventPredicate<T> predicate) {
    Objects.requireNonNull(predicate, "predicate");
    return new KindSelection<>(
        caches,
        watched,
        selection,
        filter == null ? predicate : filter.and(predicate),
        handler,
        resync,
        ownWrites);
  }

  /** Sets the handler; by default the object itself is reconciled. */
  public KindSelection<T> handledBy(EventHandler<T> value) {
    return new KindSelection<>(
        caches,
        watched,
        selection,
        filter,
        Objects.requireNonNull(value, "handler"),
        resync,
        ownWrites);
  }

  /**
   * Resyncs all objects at this interval, at low priority; zero for never, the default.
   *
   * <p>An object that comes and goes between the end of a watch and the list that replaces it
   * causes no event. A controller that must recreate every deleted object soon sets an interval on
   * the source of the objects it creates them for.
   */
  public KindSelection<T> resyncEvery(Duration interval) {
    if (interval.isNegative()) {
      throw new IllegalArgumentException("the resync interval must not be negative: " + interval);
    }
    return new KindSelection<>(
        caches, watched, selection, filter, handler, Durations.clamp(interval), ownWrites);
  }

  /**
   * Makes reads of the running source include the writes through these resources: until its cache
   * has received a write, the server's response to it is returned. Not for selections with {@link
   * #fields}.
   *
   * @param writes from {@code Kubernetes.ownWrites()}
   * @throws IllegalArgumentException when they are those to another cluster
   */
  public KindSelection<T> readYourWrites(RecentWrites writes) {
    if (!writes.isOf(caches.writers())) {
      throw new IllegalArgumentException(
          "the source \"%s\" cannot include the writes to another cluster: pass ownWrites() of the client that makes the source"
              .formatted(selection));
    }
    return new KindSelection<>(caches, watched, selection, filter, handler, resync, writes);
  }

  /**
   * Creates a source for one controller.
   *
   * @throws IllegalArgumentException when the deployment watches none of the namespaces, or reads of
   *     own writes are not possible
   */
  public KindSource<T> toSource() {
    if (ownWrites != null) {
      RecentWrites.requireNoFieldSelector(selection.keys().getFirst());
    }
    return new KindSource<>(
        caches,
        selection.within(watched),
        filter == null ? event -> true : filter,
        handler,
        resync,
        ownWrites);
  }

  /**
   * Opens the cache of the selected objects without watching for events; to be closed. Useful for
   * reading objects that no source of the controller watches.
   */
  public InformerHandle<T> openCache() {
    return selection.within(watched).open(caches, CacheUser.full("cache", "opened by openCache()"));
  }

  private KindSelection<T> with(CacheSelection<T> value) {
    return new KindSelection<>(caches, watched, value, filter, handler, resync, ownWrites);
  }
}
