// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.sharding.internal.membership.Membership;
import dev.coxswain.sharding.internal.membership.TestMembership;
import dev.coxswain.sharding.internal.store.MovedSlotStore.Term;
import dev.coxswain.spi.MovedItem;
import dev.coxswain.spi.MovedSlot;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The state of all slots of a replica is in one ConfigMap, of which the API server limits the size. */
class MovedSlotLimitTest {

  private static final int SLOTS = 12;
  private static final Membership SETTINGS = TestMembership.of(SLOTS);

  @Test
  void whenTheConfigMapIsFull_lessOfASlotIsStored_andThePositionsAlways() {
    MovedItem large = new MovedItem("n", "x", 1, true, Duration.ZERO, 0, "e".repeat(1_000));
    Map<String, MovedSlot> state =
        Map.of("one", new MovedSlot(Collections.nCopies(1_000, large), List.of("1")));
    try (EmbeddedApiServer server =
            EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
        Kubernetes kubernetes = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT)) {
      MovedSlotStore store =
          new MovedSlotStore(KubernetesRuntime.of(kubernetes).transport(), SETTINGS, () -> "one");
      int before = Integer.MAX_VALUE;
      for (int slot = 0; slot < SLOTS; slot++) {
        Term term = new Term("map-uid", slot, 7);
        int left = store.put(0, Map.of(term, state));
        Map<String, MovedSlot> stored = store.get(0, List.of(term)).getOrDefault(term, Map.of());
        MovedSlot read = Objects.requireNonNull(stored.get("one"), "slot " + slot);
        assertThat(read.positions()).containsExactly("1");
        assertThat(read.items().size() + left)
            .as("stored and left, slot %d", slot)
            .isEqualTo(1_000);
        assertThat(read.items().size()).as("items of slot %d", slot).isLessThanOrEqualTo(before);
        before = read.items().size();
      }
      assertThat(before).as("items of the last slot").isLessThan(100);
    }
  }
}
