// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.object;

import dev.coxswain.k8s.resource.Finalizers;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.LostOwnershipException;
import io.kubernetes.client.common.KubernetesObject;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finalizers with their cleanups: added before an object is reconciled, and removed, one by one, when
 * it is being deleted and their cleanup has succeeded.
 *
 * <pre>{@code
 * Optional<Demo> live = finalizers.handle(demo);
 * if (live.isEmpty()) {
 *   return Result.done();
 * }
 * }</pre>
 *
 * <p>Thread rule: {@link #register} on one thread, before the first {@link #handle}; that on any
 * thread that may block.
 *
 * @param <T> the class of the objects
 */
public final class FinalizerRegistry<T extends KubernetesObject> {

  /** Of a cache that lags further behind, the older cleanups may be repeated. */
  private static final int MOST_REMOVED = 1_024;

  private final Resource<T> resource;
  private final Map<String, Step<T>> cleanups = new LinkedHashMap<>();

  /** The last removals: a cache may return the object with its finalizer for a while. */
  private final Set<Removal> removed =
      Collections.synchronizedSet(
          Collections.newSetFromMap(
              new LinkedHashMap<>() {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Removal, Boolean> eldest) {
                  return size() > MOST_REMOVED;
                }
              }));

  private record Removal(@Nullable String uid, String finalizer) {}

  /** Creates a registry without finalizers. */
  public FinalizerRegistry(Resource<T> resource) {
    this.resource = resource;
  }

  /** The work before an object may be gone. */
  @FunctionalInterface
  public interface Cleanup<T> {

    /**
     * Cleans up after an object that is being deleted. It is repeated until it has succeeded, and may
     * run once more after that, when the finalizer was not removed: the process ended, or the API
     * server did not respond.
     *
     * @throws Exception when it has to be repeated
     */
    void run(T object) throws Exception;
  }

  /** A part of the work before an object may be gone; the next one follows at an event. */
  @FunctionalInterface
  public interface Step<T> {

    /**
     * Does what can be done now for an object that is being deleted, without waiting for the rest. It
     * is called at each attempt, and may be called once more after its end, as a {@link Cleanup}.
     *
     * @return whether nothing is left
     * @throws Exception when it has to be repeated
     */
    boolean run(T object) throws Exception;
  }

  /**
   * Adds a finalizer; cleanups run in the order in which they are added.
   *
   * @param finalizer a qualified name such as {@code demo.coxswain.dev/cleanup}
   * @throws IllegalArgumentException when it is registered already
   */
  public FinalizerRegistry<T> register(String finalizer, Cleanup<T> cleanup) {
    return registerSteps(
        finalizer,
        object -> {
          cleanup.run(object);
          return true;
        });
  }

  /**
   * Adds a finalizer that stays until a step returns that nothing is left, such as the deletion of
   * dependants in order. An event must lead to the next attempt.
   *
   * @param finalizer a qualified name such as {@code demo.coxswain.dev/dependants}
   * @throws IllegalArgumentException when it is registered already
   */
  public FinalizerRegistry<T> registerSteps(String finalizer, Step<T> step) {
    if (cleanups.putIfAbsent(finalizer, step) != null) {
      throw new IllegalArgumentException(
          "the finalizer \"" + finalizer + "\" is registered already");
    }
    return this;
  }

  /**
   * Adds the finalizers that an object does not have; or, when it is being deleted, runs the cleanups
   * of those that it has and removes each whose cleanup has succeeded, with nothing left. All cleanups run, also after
   * one has failed.
   *
   * @param object as read, also from a cache
   * @return the object as stored, to be reconciled; empty when it is being deleted or is gone
   * @throws Exception that of the first cleanup that failed, with the others suppressed; a lost ownership
   *     and an interruption end the cleanups at once
   */
  public Optional<T> handle(T object) throws Exception {
    if (Finalizers.isDeleting(object)) {
      cleanUp(object);
      return Optional.empty();
    }
    Optional<T> stored = Optional.of(object);
    for (String finalizer : cleanups.keySet()) {
      if (stored.isPresent() && !Finalizers.has(stored.get(), finalizer)) {
        stored = Finalizers.add(resource, resource.key(object), finalizer);
      }
    }
    // The object that was read may be older than its deletion.
    return stored.filter(now -> !Finalizers.isDeleting(now));
  }

  private void cleanUp(T object) throws Exception {
    String uid = object.getMetadata().getUid();
    @Nullable Exception failure = null;
    for (Map.Entry<String, Step<T>> each : cleanups.entrySet()) {
      Removal removal = new Removal(uid, each.getKey());
      if (Finalizers.has(object, each.getKey()) && !removed.contains(removal)) {
        try {
          if (each.getValue().run(object)) {
            Finalizers.remove(resource, object, each.getKey());
            if (uid != null) {
              removed.add(removal);
            }
          }
        } catch (LostOwnershipException | InterruptedException e) {
          // The attempt is over: further cleanups would run beside those of the next owner.
          if (failure != null) {
            e.addSuppressed(failure);
          }
          throw e;
        } catch (Exception e) {
          if (failure == null) {
            failure = e;
          } else {
            failure.addSuppressed(e);
          }
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
