// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.member;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.cluster.ClusterState;
import com.hazelcast.cluster.Member;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.hazelcast.MemberConfig;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.testing.Await;
import dev.coxswain.testing.process.FreePorts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/**
 * Two real members, the second of which has not received backups yet. Hazelcast acknowledges changes then
 * though no other member has them. A first member that froze at this time, and was expelled, went on with
 * its pool beside that of the others: in a window of 5 s it started 90 retries too many.
 */
class PoolBackupTest extends MembersFixture {
  @Test
  void thePoolGrantsNothing_untilAnotherMemberStoresWhatItGrants() throws Exception {
    List<Integer> ports = FreePorts.find(2);
    LimiterMember first = start(0, ports, _ -> {});
    HazelcastInstance hazelcast = instance(ports.getFirst());
    hazelcast.getCluster().changeClusterState(ClusterState.NO_MIGRATION);
    LimiterMember second = start(1, ports, _ -> {});
    Await.until("both", () -> first.status().members() == 2, first::status);

    for (LimiterMember member : members) {
      RetryBudget budget = member.budget(new LimiterSpec("x", 200, 100));
      RetryBudget.Waiter waiter = budget.openWaiter("a", () -> {});
      Await.until(
          "the reason",
          () -> {
            waiter.tryAcquire(100);
            return Objects.toString(budget.snapshot().degraded())
                .contains("the pool has no backup yet on another replica");
          },
          budget::snapshot);
      assertThat(granted(member)).isZero();
    }

    Await.until("the end of the standstill", () -> mayMove(hazelcast), hazelcast::getCluster);
    for (LimiterMember member : List.of(first, second)) {
      RetryBudget.Waiter waiter =
          member.budget(new LimiterSpec("x", 200, 100)).openWaiter("b", () -> {});
      Await.until(
          "permits",
          () -> {
            waiter.tryAcquire(100);
            return granted(member) > 0;
          },
          member::status);
    }
  }

  /** Without a copy the others would begin with the largest possible debt, and grant nothing for a while. */
  @Test
  void whatAPoolHasGranted_isKept_whenTheMemberThatStoresItIsKilled() throws Exception {
    List<Integer> ports = FreePorts.find(3);
    for (int ordinal = 0; ordinal < 3; ordinal++) {
      start(ordinal, ports, _ -> {});
    }
    Await.until(
        "all",
        () -> members.stream().allMatch(one -> one.status().members() == 3),
        ports::toString);
    List<HazelcastInstance> instances = new ArrayList<>();
    for (int port : ports) {
      instances.add(instance(port));
    }
    HazelcastInstance owner = owner(instances);
    int caller = (instances.indexOf(owner) + 1) % 3;
    RetryBudget.Waiter waiter =
        members.get(caller).budget(new LimiterSpec("x", 200, 100)).openWaiter("a", () -> {});
    Await.until(
        "permits",
        () -> {
          waiter.tryAcquire(100);
          return granted(members.get(caller)) > 0;
        },
        members.get(caller)::status);
    waiter.close();
    HazelcastInstance other = instances.get(caller);
    byte[] before = entry(other);
    assertThat(owner(instances)).isSameAs(owner);

    owner.getLifecycleService().terminate();
    Await.until("two", () -> other.getCluster().getMembers().size() == 2, other::getCluster);
    assertThat(entry(other)).as("no other entry in its place").isEqualTo(before);
  }

  private static HazelcastInstance instance(int port) {
    return Hazelcast.getAllHazelcastInstances().stream()
        .filter(made -> LostConnectionTest.isAt(made, "127.0.0.1:" + port))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the member that stores the pool. */
  private static HazelcastInstance owner(List<HazelcastInstance> instances) {
    Member owner = instances.getFirst().getPartitionService().getPartition("x").getOwner();
    return instances.stream()
        .filter(one -> one.getCluster().getLocalMember().equals(owner))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the identity of the entry; what a member sends at this time may change the rest of it. */
  private static byte[] entry(HazelcastInstance member) {
    byte[] stored = member.<String, byte[]>getMap(MemberConfig.POOLS).get("x");
    assertThat(stored).as("the stored pool").isNotNull();
    return Arrays.copyOf(stored, 1 + 3 * Long.BYTES); // a version before it
  }

  /** Hazelcast refuses the change for a moment after a join. */
  private static boolean mayMove(HazelcastInstance hazelcast) {
    try {
      hazelcast.getCluster().changeClusterState(ClusterState.ACTIVE);
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  private static long granted(LimiterMember member) {
    return member.status().limiters().getFirst().grantedByPool();
  }
}
