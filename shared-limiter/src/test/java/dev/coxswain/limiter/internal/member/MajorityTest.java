// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.limiter.internal.PermissiveView;
import dev.coxswain.limiter.internal.ReplicaView;
import dev.coxswain.limiter.internal.hazelcast.MemberConfig;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MajorityTest {

  @Test
  void aMemberWithoutLease_makesNoMajority() {
    ReplicaView view = view(Set.of("a", "b", "c"), 3);
    assertThat(MemberConfig.isMajority(List.of("a", "b"), view, 3)).isTrue();
    assertThat(MemberConfig.isMajority(List.of("c", "without"), view, 3)).isFalse();
  }

  @Test
  void whoAsksAndKnowsOfMoreReplicas_isBelieved() {
    ReplicaView view = view(Set.of("a", "b"), 2);
    assertThat(MemberConfig.isMajority(List.of("a", "b"), view, 2)).isTrue();
    assertThat(MemberConfig.isMajority(List.of("a", "b"), view, 4)).isFalse();
  }

  @Test
  void twoPartsOfACluster_neverBothHaveAMajority() {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int round = 0; round < 10_000; round++) {
      Set<String> leaseHolders = new HashSet<>();
      List<List<String>> parts = List.of(new ArrayList<>(), new ArrayList<>());
      int members = 1 + random.nextInt(9);
      for (int i = 0; i < members; i++) {
        parts.get(random.nextInt(2)).add("m" + i);
        if (random.nextInt(4) > 0) {
          leaseHolders.add("m" + i);
        }
      }
      // Leases may be held by replicas whose member does not run, or were held a moment ago.
      int live = Math.max(1, leaseHolders.size() + random.nextInt(3));
      ReplicaView view = view(leaseHolders, live);
      assertThat(parts.stream().filter(part -> MemberConfig.isMajority(part, view, 1)).count())
          .as("seed %s, leases %s of %s, parts %s", seed, leaseHolders, live, parts)
          .isLessThanOrEqualTo(1);
    }
  }

  private static ReplicaView view(Set<String> leaseHolders, int live) {
    return new PermissiveView() {
      @Override
      public @Nullable Lease lease() {
        return null;
      }

      @Override
      public int liveReplicas() {
        return live;
      }

      @Override
      public boolean holdsLease(String address) {
        return leaseHolders.contains(address);
      }

      @Override
      public Set<String> memberAddresses() {
        return leaseHolders;
      }
    };
  }
}
