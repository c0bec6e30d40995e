// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MemberRestartPolicyTest {
  private static final long SECOND = 1_000_000_000L;
  private static final Set<String> ALL = Set.of("a", "b", "c");

  private final long seed = Long.getLong("coxswain.seed", System.nanoTime());
  private final MemberRestartPolicy policy = new MemberRestartPolicy(new Random(seed));
  private long now = 17;

  private @Nullable String restartReason(
      boolean majority, List<String> here, Set<String> reachable) {
    now += SECOND;
    return policy.restartReason(majority, here, ALL, reachable::contains, now);
  }

  /** Returns after how many seconds a lonely member is replaced. */
  private int secondsUntilReplaced(Set<String> reachable) {
    policy.started(now);
    for (int i = 1; i < 1_000; i++) {
      if (restartReason(false, List.of("a"), reachable) != null) {
        return i;
      }
    }
    return Integer.MAX_VALUE;
  }

  @Test
  void aMajority_isNeverReplaced() {
    policy.started(now);
    for (int i = 0; i < 1_000; i++) {
      assertThat(restartReason(true, List.of("a", "b"), ALL)).isNull();
    }
  }

  @Test
  void whoWasInAMajority_andIsOutnumbered_isReplacedAtOnce() {
    policy.started(now);
    assertThat(restartReason(true, List.of("a", "b", "c"), Set.of())).isNull();
    assertThat(restartReason(false, List.of("a"), Set.of())).contains("more replicas");
  }

  @Test
  void aPartThatIsNotOutnumbered_isNotReplacedAtOnce_forNobodyElseCanBeAMajority() {
    policy.started(now);
    assertThat(restartReason(true, List.of("a", "b", "c"), ALL)).isNull();
    // More Leases are known than members: a replica that was killed still holds its Lease.
    assertThat(restartReason(false, List.of("a", "b"), ALL)).isNull();
  }

  @Test
  void whoIsLonely_isReplacedAfterAWhile_whenAnotherCanBeReached() {
    assertThat(secondsUntilReplaced(Set.of("b"))).as("seed %s", seed).isBetween(15, 24);
  }

  @Test
  void whoCanReachNobody_isNotReplaced_untilItCan() {
    assertThat(secondsUntilReplaced(Set.of())).isEqualTo(Integer.MAX_VALUE);
    assertThat(restartReason(false, List.of("a"), Set.of("c"))).contains("in a minority for long");
  }

  @Test
  void replacementsThatDoNotHelp_becomeRareButDoNotEnd() {
    int total = 0;
    for (int i = 0; i < 10; i++) {
      total = secondsUntilReplaced(ALL);
    }
    assertThat(total).as("seed %s", seed).isBetween(120, 181);
    for (int i = 0; i < 62; i++) {
      assertThat(restartReason(true, List.of("a", "b"), ALL)).isNull();
    }
    assertThat(secondsUntilReplaced(ALL)).as("after a calm, seed %s", seed).isBetween(15, 24);
  }

  @Test
  void startsThatFail_areTriedAgainWithGrowingPauses_upToABound() {
    assertThat(policy.pauseAfterFailure()).as("seed %s", seed).isBetween(SECOND, SECOND * 3 / 2);
    for (int i = 0; i < 10; i++) {
      policy.pauseAfterFailure();
    }
    assertThat(policy.pauseAfterFailure())
        .as("seed %s", seed)
        .isBetween(
            MemberRestartPolicy.LONGEST_PAUSE_NANOS,
            MemberRestartPolicy.LONGEST_PAUSE_NANOS * 3 / 2);
    policy.started(now);
    assertThat(policy.pauseAfterFailure()).as("seed %s", seed).isLessThan(2 * SECOND);
  }
}
