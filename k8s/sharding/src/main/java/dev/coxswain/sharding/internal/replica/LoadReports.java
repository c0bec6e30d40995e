// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import dev.coxswain.sharding.internal.slot.ReplicaSlots;
import dev.coxswain.sharding.internal.slot.ReplicaSlots.Stage;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Publishes how far the loads of the slots are that this replica is about to receive.
 *
 * <p>Thread rule: confined to the thread of the slots.
 */
final class LoadReports {

  /** A load that takes longer is reported before it is done. */
  private static final long LONG_LOAD = Duration.ofSeconds(3).toNanos();

  private final SlotAttributes attributes;
  private final SlotGates gates;

  LoadReports(SlotAttributes attributes, SlotGates gates) {
    this.attributes = attributes;
    this.gates = gates;
  }

  /** Publishes which incoming slots are ready, and which still load after a while. */
  void publish(ReplicaSlots state, long now) {
    Map<Integer, Long> ready = new HashMap<>();
    Map<Integer, Long> loading = new HashMap<>();
    state
        .held()
        .forEach((slot, held) -> {
          if (held.stage() == Stage.INCOMING) {
            ready.put(slot, held.epoch());
            if (now - held.since() >= LONG_LOAD) {
              loading.put(slot, held.epoch());
            }
          }
        });
    Set<Integer> done = gates.ready(List.copyOf(ready.keySet()));
    ready.keySet().retainAll(done);
    loading.keySet().removeAll(done);
    attributes.warm(ready);
    attributes.loading(loading);
  }
}
