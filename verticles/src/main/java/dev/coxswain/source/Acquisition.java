// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.source;

import java.util.function.Predicate;

/**
 * The requests that a controller has begun to own.
 *
 * <p>Thread rule: immutable; the predicates may be called on any thread.
 *
 * @param requests passes them
 * @param known passes those whose state the former owner has handed over
 * @param position the position of this source at the former owner when it did so, as {@link
 *     EventSource#position} returned it; empty when unknown
 */
public record Acquisition<K>(Predicate<K> requests, Predicate<K> known, String position) {

  /** Returns one of requests whose state is not known. */
  public static <K> Acquisition<K> of(Predicate<K> requests) {
    return new Acquisition<>(requests, _ -> false, "");
  }

  /** Returns a test for requests whose objects have not changed since the position. */
  public Predicate<K> unknown() {
    return requests.and(known.negate());
  }
}
