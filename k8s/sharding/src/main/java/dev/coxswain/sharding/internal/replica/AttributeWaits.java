// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import dev.coxswain.sharding.internal.membership.ReplicaLeases;
import io.vertx.core.Promise;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Callers that wait for an attribute to be stored in the own Lease.
 *
 * <p>Thread rule: confined to the thread of the slots.
 */
final class AttributeWaits {

  private final Map<Promise<Void>, Predicate<Map<String, String>>> awaited = new HashMap<>();

  /** Completes a promise when the attributes in the own Lease pass a test. */
  void await(Predicate<Map<String, String>> stored, Promise<Void> promise) {
    awaited.put(promise, stored);
  }

  /** Completes what the own Lease fulfils. */
  void complete(ReplicaLeases.OwnLease own) {
    awaited
        .entrySet()
        .removeIf(entry -> {
          boolean stored = own.held() && entry.getValue().test(own.attributes());
          if (stored) {
            entry.getKey().tryComplete();
          }
          return stored;
        });
  }
}
