// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache.ownwrites;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.informer.InformerHandle;
import dev.coxswain.k8s.internal.change.RecentWriters;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.k8s.resource.WriteObserver;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * An observer of all writes of this process, which passes them to the pending writes of each cache
 * of the same resource and version.
 *
 * <p>Thread rule: any thread; nothing blocks.
 */
public final class RecentWrites implements WriteObserver {

  /** The maximum number of pending writes per cache. */
  public static final int LIMIT = 4_096;

  private final Map<String, Set<PendingWrites>> listeners = new ConcurrentHashMap<>();
  private final RecentWriters writers;

  /**
   * Creates a registry without caches.
   *
   * @param writers receives the writes of attempts
   */
  public RecentWrites(RecentWriters writers) {
    this.writers = writers;
  }

  /**
   * Returns a lister that includes all writes from now on.
   *
   * @param cache the cache; must be closed after the lister
   * @throws IllegalArgumentException when the cache has a field selector, which cannot be evaluated
   *     here
   */
  public <T extends KubernetesObject> ReadYourWritesLister<T> over(InformerHandle<T> cache) {
    List<CacheKey<T>> keys = cache.selections();
    keys.forEach(RecentWrites::requireNoFieldSelector);
    Map<String, PendingWrites> byNamespace = new HashMap<>();
    for (CacheKey<T> key : keys) {
      PendingWrites pendingWrites =
          new PendingWrites(
              key.toString(),
              cache.progress(key),
              cache::version,
              key::kept,
              key.namespace(),
              key.labelSelector(),
              LIMIT);
      cache.onRelease(key, pendingWrites::release);
      byNamespace.put(key.namespace(), pendingWrites);
    }
    String resource = resource(keys.getFirst().type());
    listeners.compute(
        resource,
        (same, present) -> {
          Set<PendingWrites> all = present == null ? ConcurrentHashMap.newKeySet() : present;
          all.addAll(byNamespace.values());
          return all;
        });
    return ReadYourWritesLister.over(
        cache,
        byNamespace,
        () ->
            listeners.computeIfPresent(
                resource,
                (same, all) -> {
                  all.removeAll(byNamespace.values());
                  return all.isEmpty() ? null : all;
                }));
  }

  /** Returns whether these are the writes to the cluster of some caches. */
  public boolean isOf(RecentWriters ofCaches) {
    return writers == ofCaches;
  }

  /** Refuses a cache with a field selector, which cannot be evaluated here. */
  public static void requireNoFieldSelector(CacheKey<?> key) {
    if (!key.fieldSelector().isEmpty()) {
      throw new IllegalArgumentException(
          "readYourWrites is not supported for "
              + key
              + ": whether a written object is selected by the field selector \""
              + key.fieldSelector()
              + "\" can only be evaluated by the server");
    }
  }

  private static String resource(ResourceType<?> type) {
    return type.apiVersion() + "/" + type.plural();
  }

  @Override
  public void written(ResourceType<?> type, Request key, JsonObject stored) {
    writers.written(key, WriteResponse.text(WriteResponse.metadata(stored), "resourceVersion"));
    listeners.getOrDefault(resource(type), Set.of()).forEach(o -> o.written(key, stored));
  }

  @Override
  public void deleted(ResourceType<?> type, Request key, JsonObject response) {
    writers.written(key, "");
    listeners.getOrDefault(resource(type), Set.of()).forEach(o -> o.deleted(key, response));
  }
}
