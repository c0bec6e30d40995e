// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import io.kubernetes.client.common.KubernetesObject;

/**
 * Hears of the changes in a cache.
 *
 * <p>Thread rule: called on one virtual thread that belongs to the subscription, one event at a
 * time.
 *
 * @param <T> the class of the objects
 */
@FunctionalInterface
public interface ObjectListener<T extends KubernetesObject> {

  /**
   * Takes an event. What is thrown is reported and the next event follows. An {@link
   * Index.FailedException} or {@link OutOfMemoryError}, by itself or as a cause, is no fault of the
   * event: it is kept, merged with what happens meanwhile, and delivered again after a pause that
   * grows up to about 20 s; other events are not held up.
   */
  void onEvent(ObjectEvent<T> event);

  /**
   * Returns whether the listener can take more now. While it cannot, changes of one object are
   * merged, so that what waits is bounded by the number of objects, and a number of those that have
   * come and gone meanwhile, which are told as added and deleted.
   */
  default boolean isReady() {
    return true;
  }
}
