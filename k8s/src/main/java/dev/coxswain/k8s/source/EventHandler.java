// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.k8s.cache.ObjectKeys;
import io.kubernetes.client.common.KubernetesObject;
import java.util.Optional;

/**
 * A mapping of an event to the requests to reconcile.
 *
 * <p>A handler that throws skips the rest of that event: the requests it has passed on by then are
 * reconciled. The failure is logged with the key of the object and counted ({@code
 * coxswain_user_code_errors_total}); a resync, or the next change of the object, repairs the loss.
 *
 * <p>Thread rule: called on the virtual thread of its source.
 *
 * @param <T> the class of the objects
 */
@FunctionalInterface
public interface EventHandler<T extends KubernetesObject> {

  /** Passes the requests to reconcile to {@code requests}, with a delay or a priority if needed. */
  void handle(ObjectEvent<T> event, RequestSink requests);

  /**
   * Returns the requests that the state of an object leads to, if its name and metadata alone decide
   * about them; then a sharded controller keeps only the objects that lead to its own requests. An
   * event must lead to no other requests than those of the states before and after it. Empty, the
   * default, when it depends on more: then all objects are kept.
   */
  default Optional<ObjectKeys> keys() {
    return Optional.empty();
  }

  /**
   * Returns whether requests name the watched objects themselves, so that the source can return
   * which requests still have an object.
   */
  default boolean namesObjects() {
    return false;
  }
}
