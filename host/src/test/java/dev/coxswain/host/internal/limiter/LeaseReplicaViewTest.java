// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.sharding.internal.membership.ReplicaLeaseStatus;
import dev.coxswain.sharding.internal.membership.ReplicaLeaseStatus.Taken;
import dev.coxswain.sharding.internal.membership.ReplicaMembership;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LeaseReplicaViewTest {

  private static Taken taken(int ordinal, String generation, Map<String, String> addresses) {
    return new Taken(
        ordinal, "replica-" + ordinal + "_1", null, generation, false, true, addresses, Map.of());
  }

  private static Taken shaped(String replica, Map<String, String> attributes) {
    return new Taken(0, replica + "_1", null, "g", false, true, Map.of(), attributes);
  }

  @Test
  void replicasThatDivideInAnotherWay_areNamed_andThoseThatDoNotSayCountAsEqual() {
    List<Taken> taken =
        List.of(
            shaped("b", Map.of(LeaseReplicaView.SHAPE, "20/0.2")),
            shaped("a", Map.of(LeaseReplicaView.SHAPE, "10/0.5")),
            shaped("same", Map.of(LeaseReplicaView.SHAPE, "10/0.2")),
            shaped("older", Map.of()));
    assertThat(LeaseReplicaView.otherShapes(taken, "10/0.2")).isEqualTo("a (10/0.5), b (20/0.2)");
    assertThat(LeaseReplicaView.otherShapes(taken.subList(2, 4), "10/0.2")).isEmpty();
  }

  @Test
  void membersOfAnotherGeneration_cannotBeJoined() {
    ReplicaLeaseStatus status =
        new ReplicaLeaseStatus(
            OptionalInt.of(0),
            "replica-0_1",
            true,
            false,
            4,
            5,
            List.of(
                taken(0, "new", Map.of(SharedBudgets.MEMBER, "a:1")),
                taken(1, "old", Map.of(SharedBudgets.MEMBER, "b:1")),
                taken(2, "new", Map.of(SharedBudgets.MEMBER, "c:1")),
                taken(3, "new", Map.of(ReplicaMembership.ADMIN, "d:1"))),
            Set.of(),
            "");
    assertThat(LeaseReplicaView.joinable(status, "new")).containsExactlyInAnyOrder("a:1", "c:1");
    assertThat(LeaseReplicaView.joinable(status, "old")).containsExactly("b:1");
  }
}
