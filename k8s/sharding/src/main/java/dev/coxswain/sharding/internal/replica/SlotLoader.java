// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import io.vertx.core.Future;
import java.util.Collection;

/**
 * Loads the objects of slots into the caches of this replica.
 *
 * <p>Thread rule: any thread; nothing blocks.
 */
interface SlotLoader {

  /** Every cache has all objects. */
  SlotLoader NONE =
      new SlotLoader() {
        @Override
        public Future<Void> keep(Collection<Integer> slots) {
          return Future.succeededFuture();
        }

        @Override
        public void release(Collection<Integer> slots) {}
      };

  /** Keeps the objects of slots from now on; the future completes when they are loaded. */
  Future<Void> keep(Collection<Integer> slots);

  /** Drops the objects of slots. */
  void release(Collection<Integer> slots);
}
