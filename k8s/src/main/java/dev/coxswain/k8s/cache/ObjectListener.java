// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import io.kubernetes.client.common.KubernetesObject;

/**
 * A listener for the changes of a cache.
 *
 * <p>Thread rule: called on one virtual thread that belongs to the subscription, one event at a
 * time.
 *
 * @param <T> the class of the objects
 */
@FunctionalInterface
public interface ObjectListener<T extends KubernetesObject> {

  /**
   * Handles an event. Exceptions are reported, and the next event follows. After an {@link
   * Index.FailedException} or {@link OutOfMemoryError}, itself or as a cause, the event is kept,
   * merged with later changes, and delivered again after a pause that grows up to about 20 s; other
   * events are not delayed.
   */
  void onEvent(ObjectEvent<T> event);

  /**
   * Returns whether the listener can accept an event now. Until then, changes of one object are
   * merged, so that the waiting changes are bounded by the number of objects, plus a fixed number
   * of objects that came and went meanwhile, which are delivered as added and deleted.
   */
  default boolean isReady() {
    return true;
  }
}
