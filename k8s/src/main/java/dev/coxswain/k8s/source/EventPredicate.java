// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.k8s.cache.ObjectEvent;
import io.kubernetes.client.common.KubernetesObject;

/**
 * A filter of the events of a source.
 *
 * <p>An event passes a predicate that throws: an unneeded attempt is harmless, a missed change is
 * not. The failure is logged and counted ({@code coxswain_user_code_errors_total}).
 *
 * <p>Thread rule: called on the virtual thread of its source, and for explanations of single
 * objects on the event loop of the controller, possibly at the same time: it must be safe to call
 * from two threads and must not block.
 *
 * @param <T> the class of the objects
 */
@FunctionalInterface
public interface EventPredicate<T extends KubernetesObject> {

  /** Returns whether the event passes. */
  boolean test(ObjectEvent<T> event);

  /** Returns a predicate that passes events that both pass. */
  default EventPredicate<T> and(EventPredicate<T> other) {
    return event -> test(event) && other.test(event);
  }

  /** Returns a predicate that passes events that either passes. */
  default EventPredicate<T> or(EventPredicate<T> other) {
    return event -> test(event) || other.test(event);
  }

  /** Returns a predicate that passes events that this one stops. */
  default EventPredicate<T> not() {
    return event -> !test(event);
  }
}
