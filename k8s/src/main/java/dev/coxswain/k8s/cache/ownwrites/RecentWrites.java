// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache.ownwrites;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.cache.CacheKey;
import dev.coxswain.k8s.informer.InformerHandle;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.k8s.resource.WriteObserver;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Hears of all writes of this process and passes them to the overlays of the same resource in the
 * same version.
 *
 * <p>Thread rule: any thread; nothing blocks.
 */
public final class RecentWrites implements WriteObserver {

  /** How many writes an overlay holds that its cache has not heard of. */
  public static final int LIMIT = 4_096;

  private final Map<String, Set<PendingWrites>> overlays = new ConcurrentHashMap<>();

  /** Creates a registry without overlays. */
  public RecentWrites() {}

  /**
   * Returns a reader that knows at least what is written from now on.
   *
   * @param cache what to read; closed later than the reader
   * @throws IllegalArgumentException when the cache has a field selector, which cannot be evaluated
   *     here
   */
  public <T extends KubernetesObject> ReadYourWritesLister<T> over(InformerHandle<T> cache) {
    CacheKey<T> key = cache.key();
    requireNoFieldSelector(key);
    PendingWrites overlay =
        new PendingWrites(
            key.toString(),
            cache.progress(),
            cache::version,
            key::kept,
            key.namespace(),
            key.labelSelector(),
            LIMIT);
    String resource = resource(key.type());
    overlays.compute(
        resource,
        (same, present) -> {
          Set<PendingWrites> all = present == null ? ConcurrentHashMap.newKeySet() : present;
          all.add(overlay);
          return all;
        });
    return ReadYourWritesLister.over(
        cache,
        overlay,
        () ->
            overlays.computeIfPresent(
                resource,
                (same, all) -> {
                  all.remove(overlay);
                  return all.isEmpty() ? null : all;
                }));
  }

  /** Refuses a selection whose own writes could not be told apart. */
  public static void requireNoFieldSelector(CacheKey<?> key) {
    if (!key.fieldSelector().isEmpty()) {
      throw new IllegalArgumentException(
          "own writes cannot be read back from "
              + key
              + ": whether a written object is selected by the field selector \""
              + key.fieldSelector()
              + "\" is known to the server alone");
    }
  }

  private static String resource(ResourceType<?> type) {
    return type.apiVersion() + "/" + type.plural();
  }

  @Override
  public void written(ResourceType<?> type, Request key, JsonObject stored) {
    overlays.getOrDefault(resource(type), Set.of()).forEach(o -> o.written(key, stored));
  }

  @Override
  public void deleted(ResourceType<?> type, Request key, JsonObject answer) {
    overlays.getOrDefault(resource(type), Set.of()).forEach(o -> o.deleted(key, answer));
  }
}
