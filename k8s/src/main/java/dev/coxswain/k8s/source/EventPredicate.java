// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.k8s.cache.ObjectEvent;
import io.kubernetes.client.common.KubernetesObject;

/**
 * Decides which events matter to a controller.
 *
 * <p>A predicate that throws, whatever it is, lets the event pass: an attempt too many is harmless,
 * a missed change is not. The failure is logged and counted ({@code
 * coxswain_user_code_errors_total}).
 *
 * <p>Thread rule: called on the virtual thread of the source that it filters, and, when an operator
 * asks why an object is not reconciled, on the event loop of the controller, possibly at the same
 * time: it must be safe to call from two threads and must not block.
 *
 * @param <T> the class of the objects
 */
@FunctionalInterface
public interface EventPredicate<T extends KubernetesObject> {

  /** Returns whether the event matters. */
  boolean test(ObjectEvent<T> event);

  /** Returns a predicate that passes what both pass. */
  default EventPredicate<T> and(EventPredicate<T> other) {
    return event -> test(event) && other.test(event);
  }

  /** Returns a predicate that passes what either passes. */
  default EventPredicate<T> or(EventPredicate<T> other) {
    return event -> test(event) || other.test(event);
  }

  /** Returns a predicate that passes what this one stops. */
  default EventPredicate<T> not() {
    return event -> !test(event);
  }
}
