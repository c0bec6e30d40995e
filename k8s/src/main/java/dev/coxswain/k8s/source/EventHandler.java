// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import java.util.function.Consumer;

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

  /** Passes the requests to reconcile to {@code requests}; duplicates count once. */
  void handle(ObjectEvent<T> event, Consumer<Request> requests);

  /**
   * Returns whether requests name the watched objects themselves, so that the source can return
   * which requests still have an object.
   */
  default boolean namesObjects() {
    return false;
  }
}
