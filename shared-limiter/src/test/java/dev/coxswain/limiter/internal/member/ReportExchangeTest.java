// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.limiter.internal.ClusterShape;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.RateOverride;
import dev.coxswain.limiter.internal.ReplicaView;
import dev.coxswain.limiter.internal.ReplicaView.Lease;
import dev.coxswain.limiter.internal.bucket.PoolReply;
import dev.coxswain.limiter.internal.budget.SharedRetryBudget;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.testkit.VirtualTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What replicas tell each other, with the real pool change in this process and on virtual time. */
class ReportExchangeTest {
  private static final LimiterSpec SPEC = new LimiterSpec("x", 10, 20);
  private static final RateOverride FASTER =
      new RateOverride(0, 200, 100, Duration.ofSeconds(10).toNanos());

  private final VirtualTime time = new VirtualTime();
  private final ProcessPool pool = new ProcessPool(time);
  private final Map<String, byte[]> shared = new HashMap<>();
  private final ReportExchange room = new ReportExchange("here", time);
  private final ReportExchange roomThere = new ReportExchange("there", time);
  private final SharedRetryBudget here = budget(0);
  private final SharedRetryBudget there = budget(1);

  private SharedRetryBudget budget(int ordinal) {
    return new SharedRetryBudget(
        SPEC,
        new ClusterShape(2, 0.2),
        ReplicaView.fixed(new Lease(ordinal, time.nanos()), 2),
        time,
        (limiter, request) -> CompletableFuture.completedFuture(pool.apply(limiter, request)),
        time,
        0);
  }

  @BeforeEach
  void pollThePool() {
    here.poll();
    there.poll();
    time.advance(Duration.ofMinutes(2)); // it begins in debt
    here.poll();
    there.poll();
    time.settle();
  }

  /** Sets an override as one replica does, and tells that one. */
  private void override(SharedRetryBudget by) {
    byte[] reply = pool.apply("x", by.request(0, FASTER).encode());
    by.onOverrideReply(Objects.requireNonNull(PoolReply.decode(reply)), time.nanos());
  }

  /** Starts retries as fast as they may for some seconds. */
  private void retry(SharedRetryBudget budget, int seconds) {
    RetryBudget.Waiter waiter = budget.openWaiter("a");
    Duration end = time.elapsed().plusSeconds(seconds);
    while (time.elapsed().compareTo(end) < 0) {
      long wait = waiter.tryAcquire(1_000);
      time.settle();
      time.advance(Duration.ofNanos(Math.min(wait, 5_000_000)));
    }
    waiter.close();
  }

  @Test
  void startsUnderAFasterOverride_areNoExcess_onceItIsOver() {
    override(here);
    retry(here, 2);
    time.advance(Duration.ofSeconds(20));
    here.poll();
    time.settle();
    assertThat(here.status().overrideLeft()).isNull();

    room.exchange(shared, List.of(here));

    assertThat(here.status().worst().starts()).isGreaterThan(200);
    assertThat(here.status().worst().certain()).isLessThanOrEqualTo(0);
  }

  @Test
  void startsUnderAFasterOverride_areNoExcess_forAReplicaThatHasNotHeardOfIt() {
    override(there);
    retry(there, 2);
    roomThere.exchange(shared, List.of(there));
    assertThat(here.status().overrideLeft()).isNull();

    room.exchange(shared, List.of(here));

    assertThat(here.status().worst().starts()).isGreaterThan(200);
    assertThat(here.status().worst().certain()).isLessThanOrEqualTo(0);
  }

  @Test
  void slowAnswerToAChange_tellsTheOwnersClock_onlyAsWellAsItsTravelAllows() {
    SharedRetryBudget fresh = budget(0);
    long sentAt = time.nanos();
    byte[] reply = pool.apply("x", fresh.request(0, FASTER).encode());
    time.advance(Duration.ofMillis(400));

    fresh.onOverrideReply(Objects.requireNonNull(PoolReply.decode(reply)), sentAt);

    assertThat(fresh.report(time.nanos()).error())
        .isGreaterThanOrEqualTo(Duration.ofMillis(200).toNanos());
  }

  /** A replica that is started anew counts its reports from the beginning. */
  @Test
  void replicaThatIsBack_isListedAtOnce_whoeverHadTakenItsReportAway() {
    roomThere.exchange(shared, List.of(there));
    room.exchange(shared, List.of(here));
    assertThat(replicas()).containsExactly("here", "there");
    shared.remove("there");
    time.advance(Duration.ofMinutes(1));
    room.exchange(shared, List.of(here));
    assertThat(replicas()).containsExactly("here");

    new ReportExchange("there", time).exchange(shared, List.of(there));
    room.exchange(shared, List.of(here));

    assertThat(replicas()).containsExactly("here", "there");
  }

  @Test
  void whatWaitedOnASilentReplica_isNotCounted_beforeItIsRemoved() {
    there.openWaiter("demo", () -> {}).tryAcquire(7);
    roomThere.exchange(shared, List.of(there));
    room.exchange(shared, List.of(here));
    assertThat(here.snapshot().waiting()).isEqualTo(6); // one has its token
    time.advance(Duration.ofSeconds(6));

    room.exchange(shared, List.of(here));

    assertThat(here.snapshot().waiting()).isZero();
    assertThat(replicas()).containsExactly("here", "there");
  }

  @Test
  void reportOfAnotherVersion_isTakenAwayToo_onceItStandsStill() {
    shared.put("of the last roll-out", new byte[] {99});
    room.exchange(shared, List.of(here));
    assertThat(shared).containsOnlyKeys("here", "of the last roll-out");
    time.advance(Duration.ofMinutes(1));

    room.exchange(shared, List.of(here));

    assertThat(shared).containsOnlyKeys("here");
  }

  private List<String> replicas() {
    return here.snapshot().replicas().stream().map(BudgetSnapshot.Replica::name).toList();
  }
}
