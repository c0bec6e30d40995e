// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.member;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.cluster.ClusterState;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.MemberOptions;
import dev.coxswain.limiter.internal.ReplicaView;
import dev.coxswain.limiter.internal.ReplicaView.Lease;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.testing.Await;
import dev.coxswain.testing.process.FreePorts;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Two real members, the second of which has not received backups yet. Hazelcast acknowledges changes then
 * though no other member has them. A first member that froze at this time, and was expelled, went on with
 * its pool beside that of the others: in a window of 5 s it started 90 retries too many.
 */
class PoolBackupTest {
  private final Vertx vertx = Vertx.vertx();
  private final List<LimiterMember> members = new ArrayList<>();

  @AfterEach
  void stop() {
    members.forEach(member -> Await.get(member.stop()));
    Await.get(vertx.close());
  }

  private LimiterMember start(int ordinal, List<Integer> ports) {
    LimiterMember member =
        LimiterMember.create(
            vertx,
            MemberOptions.of("replica-" + ordinal)
                .withPort(ports.get(ordinal))
                .withMembers(ports.stream().map(port -> "127.0.0.1:" + port).toList())
                .withClusterName("backup-" + ports.getFirst())
                .withViewAge(Duration.ofMillis(10)),
            ReplicaView.fixed(new Lease(ordinal, System.nanoTime()), 2),
            address -> {});
    members.add(member);
    Await.get(member.start());
    return member;
  }

  @Test
  void thePoolGrantsNothing_untilAnotherMemberStoresWhatItGrants() throws Exception {
    List<Integer> ports = FreePorts.find(2);
    LimiterMember first = start(0, ports);
    HazelcastInstance hazelcast =
        Hazelcast.getAllHazelcastInstances().stream()
            .filter(made -> LostConnectionTest.isAt(made, "127.0.0.1:" + ports.getFirst()))
            .findFirst()
            .orElseThrow();
    hazelcast.getCluster().changeClusterState(ClusterState.NO_MIGRATION);
    LimiterMember second = start(1, ports);
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
