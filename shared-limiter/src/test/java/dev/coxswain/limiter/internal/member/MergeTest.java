// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.member;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent.LifecycleState;
import com.hazelcast.map.IMap;
import com.hazelcast.spi.properties.ClusterProperty;
import dev.coxswain.limiter.internal.BudgetSplit;
import dev.coxswain.limiter.internal.ClusterShape;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.MemberOptions;
import dev.coxswain.limiter.internal.ReplicaView;
import dev.coxswain.limiter.internal.ReplicaView.Lease;
import dev.coxswain.limiter.internal.bucket.Bucket;
import dev.coxswain.limiter.internal.bucket.EntryId;
import dev.coxswain.limiter.internal.hazelcast.MemberConfig;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import dev.coxswain.testing.process.FreePorts;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two parts of a real cluster, each with a state of its own for the same pools, become one. */
class MergeTest {
  private static final ClusterShape SHAPE = new ClusterShape(2, 0.2);
  private static final BudgetSplit SHARES = BudgetSplit.of(new LimiterSpec("x", 10, 100), SHAPE);
  private static final long SECOND = 1_000_000_000L;

  private final List<Config> configs = new ArrayList<>();
  private final List<HazelcastInstance> parts = new ArrayList<>();
  private final AtomicInteger merged = new AtomicInteger();

  @AfterEach
  void end() {
    parts.forEach(part -> part.getLifecycleService().terminate());
  }

  /**
   * Starts a member as replicas do, that knows of no other yet and looks for others each second.
   */
  private void startPart(String address, String cluster) {
    MemberOptions options =
        MemberOptions.of(address)
            .withPort(Integer.parseInt(address.substring(address.indexOf(':') + 1)))
            .withMembers(List.of(address))
            .withClusterName(cluster);
    Config config = MemberConfig.of(options, ReplicaView.fixed(new Lease(0, 0), 1));
    config.setProperty(ClusterProperty.MERGE_FIRST_RUN_DELAY_SECONDS.getName(), "1");
    config.setProperty(ClusterProperty.MERGE_NEXT_RUN_DELAY_SECONDS.getName(), "1");
    HazelcastInstance part = Hazelcast.newHazelcastInstance(config);
    part.getLifecycleService()
        .addLifecycleListener(event -> {
          if (event.getState() == LifecycleState.MERGED) {
            merged.incrementAndGet();
          }
        });
    configs.add(config);
    parts.add(part);
  }

  private IMap<String, byte @Nullable []> pools(int part) {
    return parts.get(part).getMap(MemberConfig.POOLS);
  }

  private static boolean isOpen(HazelcastInstance part) {
    return part.getSplitBrainProtectionService()
        .getSplitBrainProtection(MemberConfig.PROTECTION)
        .hasMinimumSize();
  }

  /** Stores a pool that owes so much more than the most that can be granted. */
  private void store(int part, String limiter, long more, int overrides) {
    Bucket bucket = Bucket.lost(new EntryId(part, 1, 1), SHARES, more);
    bucket.advance(new ProcessPool(Clock.system()), SHARES); // it has an owner
    for (int i = 0; i < overrides; i++) {
      bucket.override(1, 100, 3_600 * SECOND);
    }
    pools(part).set(limiter, bucket.encode());
  }

  private void assertOwes(String limiter, long more, int overrides) {
    for (int part = 0; part < 2; part++) {
      byte[] state = Objects.requireNonNull(pools(part).get(limiter), limiter);
      Bucket bucket = Objects.requireNonNull(Bucket.decode(state));
      assertThat(bucket.emptyIn()).as(limiter).isEqualTo(SHARES.horizon() + more);
      assertThat(bucket.overrideGeneration()).as(limiter).isEqualTo(overrides);
    }
  }

  @Test
  void partsThatFindTogether_keepOfEachPoolTheLargerDebt() throws Exception {
    List<String> addresses = FreePorts.find(2).stream().map(port -> "127.0.0.1:" + port).toList();
    addresses.forEach(address -> startPart(address, "merge-" + addresses));
    Await.until(
        "the protection has been evaluated in both",
        () -> parts.stream().allMatch(MergeTest::isOpen),
        () -> parts.stream().map(MergeTest::isOpen).toList());
    store(0, "more in the first", 5 * SECOND, 0);
    store(1, "more in the first", 3 * SECOND, 0);
    store(0, "more in the second", 3 * SECOND, 0);
    store(1, "more in the second", 5 * SECOND, 0);
    store(0, "overridden in the first", 3 * SECOND, 2);
    store(1, "overridden in the first", 5 * SECOND, 1);
    store(0, "overridden in the second", 5 * SECOND, 1);
    store(1, "overridden in the second", 3 * SECOND, 2);
    store(0, "only in the first", 4 * SECOND, 0);
    store(1, "only in the second", 4 * SECOND, 0);
    assertThat(parts).allMatch(part -> part.getCluster().getMembers().size() == 1);

    configs.forEach(config ->
        config.getAdvancedNetworkConfig().getJoin().getTcpIpConfig().setMembers(addresses));
    Await.until(
        "one part has merged into the other",
        () ->
            merged.get() > 0
                && parts.stream().allMatch(part -> part.getCluster().getMembers().size() == 2),
        () -> parts.stream().map(part -> part.getCluster().getMembers()).toList());

    assertOwes("more in the first", 5 * SECOND, 0);
    assertOwes("more in the second", 5 * SECOND, 0);
    assertOwes("overridden in the first", 5 * SECOND, 2);
    assertOwes("overridden in the second", 5 * SECOND, 2);
    assertOwes("only in the first", 4 * SECOND, 0);
    assertOwes("only in the second", 4 * SECOND, 0);
  }
}
