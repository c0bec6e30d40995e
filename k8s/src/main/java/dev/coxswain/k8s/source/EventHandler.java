// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.k8s.cache.ObjectEvent;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import java.util.function.Consumer;

/**
 * Turns an event into the requests that are to be reconciled because of it.
 *
 * <p>A handler that throws, whatever it is, skips the rest of that event: the requests it has named
 * by then are reconciled, those that were still to come are unknown. The failure is logged with the
 * key of the object and counted ({@code coxswain_user_code_errors_total}); a resync, or the next
 * change of the object, makes up for it.
 *
 * <p>Thread rule: called on the virtual thread of its source.
 *
 * @param <T> the class of the objects
 */
@FunctionalInterface
public interface EventHandler<T extends KubernetesObject> {

  /** Gives {@code requests} whatever is to be reconciled; the same one twice counts once. */
  void handle(ObjectEvent<T> event, Consumer<Request> requests);

  /**
   * Returns whether requests name the watched objects themselves, so that the source knows which
   * requests still have an object.
   */
  default boolean namesObjects() {
    return false;
  }
}
