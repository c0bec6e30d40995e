// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.sharding.internal.lease.LeaseOptions;
import dev.coxswain.sharding.internal.lease.LeaseRecord;
import dev.coxswain.sharding.internal.lease.LeaseStore;
import dev.coxswain.sharding.internal.lease.MemoryLeases;
import dev.coxswain.spi.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ten times as many replicas as list all Leases all the time, as 500 are with the usual options; in virtual time. */
class ManyReplicasTest {

  private static final int REPLICAS = 120;
  private static final int SMALL = 12;
  private static final Duration LEASE = LeaseOptions.DEFAULT.leaseDuration();
  private static final Duration SECOND = Duration.ofSeconds(1);

  private final MemoryLeases leases = new MemoryLeases();
  private final List<One> all = new ArrayList<>();
  private final PriorityQueue<One> steps =
      new PriorityQueue<>(Comparator.comparingLong((One one) -> one.at));
  private long now;
  private boolean down;
  private int lists;
  private int reads;
  private int refused;

  ManyReplicasTest() {
    for (int i = 0; i < REPLICAS; i++) {
      One one = new One(i);
      all.add(one);
      steps.add(one);
    }
    run(Duration.ofSeconds(30));
    assertThat(all).allMatch(one -> one.holder.mayAct());
  }

  @Test
  void leaseOfADeadReplica_isEnded_asSoonAsAmongFew_byOneOfThree() {
    One dead = all.get(40);
    dead.end();
    Duration took = untilEnded(List.of(dead));

    assertThat(took).isBetween(LEASE.minusSeconds(2), LEASE.plus(SECOND));
    assertThat(refused).as("others that tried to end it, too").isLessThan(3);
  }

  /** None of the three after it is alive, so others observe it once they have listed that. */
  @ParameterizedTest
  @ValueSource(ints = {4, 40, 119})
  void leasesOfNeighboursThatDieTogether_areEnded(int count) {
    List<One> dead = List.copyOf(all.subList(0, count));
    dead.forEach(One::end);

    assertThat(untilEnded(dead))
        .isLessThan(LEASE.multipliedBy(2).plus(all.getFirst().period().multipliedBy(2)));
  }

  @Test
  void nobodyIsEnded_afterAnOutageForAll() {
    down = true;
    run(LEASE.multipliedBy(2));
    down = false;
    run(LEASE.multipliedBy(2));

    assertThat(all).allMatch(one -> one.holder.mayAct() && one.holder.fenced() == 0);
  }

  @Test
  void whatAReplicaReceives_growsLittleWithTheNumber() {
    lists = 0;
    reads = 0;
    run(Duration.ofMinutes(1));

    double listsEach = (double) lists / REPLICAS;
    assertThat(all.getFirst().period()).isEqualTo(Duration.ofSeconds(10));
    assertThat(listsEach).isBetween(5.5, 6.5);
    assertThat((double) reads / REPLICAS).isLessThanOrEqualTo(3.0 * (60 - listsEach) + 3);
  }

  @Test
  void listThatAChangeOfTheOwnLeaseNeeds_isSentAtOnce() {
    One one = all.get(7);
    run(Duration.ofMillis(100));
    one.holder.publish("key", "value");
    one.holder.wantRenewal();
    one.at = now;
    steps.remove(one);
    steps.add(one);
    run(Duration.ofMillis(500));

    assertThat(one.holder.own().attributes()).containsEntry("key", "value");
    assertThat(one.holder.lastList().orElseThrow().sent())
        .isGreaterThanOrEqualTo(one.holder.own().storedAt());
  }

  @Test
  void attributeThatIsWaitedFor_isReadWithinASecond() {
    One owner = all.get(7);
    One target = all.get(90);
    String identity = target.holder.own().identity();
    owner.holder.reads().await(Set.of(identity));
    target.holder.publish("key", "value");
    target.holder.wantRenewal();
    run(Duration.ofMillis(2_100));
    long renewed = target.holder.own().storedAt();
    run(Duration.ofNanos(Math.max(0, renewed + SECOND.toNanos() - now)));

    assertThat(
            Optional.ofNullable(owner.holder.reads().attributes().get(identity))
                .orElseGet(() -> owner.holder.lastList().orElseThrow().attributes(identity)))
        .containsEntry("key", "value");
  }

  @Test
  void attributeOfAReplicaThatHasJoinedSince_isListedWithinASecond() {
    One owner = all.get(7);
    One target = new One(REPLICAS);
    target.at = now;
    target.holder.publish("key", "value");
    steps.add(target);
    run(Duration.ofMillis(100));
    String identity = target.holder.own().identity();
    owner.holder.reads().await(Set.of(identity));
    run(SECOND);

    assertThat(owner.holder.lastList().orElseThrow().attributes(identity))
        .containsEntry("key", "value");
  }

  @Test
  void listThatFails_isSentAgainInTheNextStep() {
    One one = all.get(7);
    one.failLists = true;
    one.holder.publish("key", "value");
    one.holder.wantRenewal();
    run(Duration.ofSeconds(3));
    one.failLists = false;
    run(Duration.ofMillis(1_100));

    assertThat(one.holder.lastList().orElseThrow().sent())
        .isGreaterThanOrEqualTo(one.holder.own().storedAt());
  }

  /** Each request takes two seconds, so all reads together would take longer than a Lease. */
  @Test
  void readsThatTakeLong_doNotDelayTheRenewalOfTheOwnLease() {
    One slow = all.get(7);
    slow.delay = Duration.ofSeconds(2);
    slow.holder
        .reads()
        .await(
            all.subList(80, 85).stream()
                .map(one -> one.holder.own().identity())
                .collect(Collectors.toSet()));
    run(Duration.ofMinutes(1));

    assertThat(slow.writes).hasSizeGreaterThan(5);
    for (int i = 1; i < slow.writes.size(); i++) {
      assertThat(Duration.ofNanos(slow.writes.get(i) - slow.writes.get(i - 1)))
          .isLessThan(LeaseOptions.DEFAULT.renewDeadline().minus(slow.delay));
    }
  }

  @Test
  void leaseThatIsReleasedWithoutAHandOver_isListedAtOnce_byThoseThatReadIt() {
    One gone = all.get(40);
    gone.end();
    String identity = gone.holder.own().identity();
    gone.holder.resign();
    gone.holder.release();
    run(Duration.ofMillis(1_100));

    assertThat(
            all.stream()
                .filter(
                    one -> one.holder.lastList().orElseThrow().lastHolders().contains(identity)))
        .hasSizeGreaterThanOrEqualTo(3);
  }

  /** As in a roll-out that changes the number of Leases. */
  @Test
  void replicasWithOtherNumbersOfLeases_observeTheSameNeighbours() {
    for (int count : new int[] {REPLICAS + 1, 2 * REPLICAS}) {
      ReplicaLeaseTable table =
          new ReplicaLeaseTable(
              new MembershipOptions(
                  "ns", "replica", count, "r", "one", LeaseOptions.DEFAULT, SMALL));
      table.listed(leases.list(), now, now);
      assertThat(table.observedNames(1))
          .as("%s Leases", count)
          .containsExactly("replica-0", "replica-119", "replica-118");
    }
  }

  private Duration untilEnded(List<One> dead) {
    long begin = now;
    long limit = begin + LEASE.multipliedBy(20).toNanos();
    while (dead.stream().anyMatch(One::isHeld)) {
      assertThat(now).as("when all are ended").isLessThan(limit);
      run(Duration.ofMillis(50));
    }
    return Duration.ofNanos(now - begin);
  }

  private void run(Duration time) {
    long end = now + time.toNanos();
    while (!steps.isEmpty() && steps.peek().at <= end) {
      One next = steps.remove();
      now = next.at;
      long wait = next.holder.step().toNanos();
      next.at = now + next.ahead + wait;
      next.ahead = 0;
      steps.add(next);
    }
    now = end;
  }

  /** One replica. */
  private final class One implements ReplicaLeaseStore, Clock {
    private final String name;
    private final ReplicaLeaseHolder holder;
    private long at;
    private int tenures;
    private boolean failLists;
    private Duration delay = Duration.ZERO;

    /** How long the requests of the present step have taken. */
    private long ahead;

    private final List<Long> writes = new ArrayList<>();

    One(int number) {
      name = "r" + number;
      at = number * 1_000_000L;
      holder =
          new ReplicaLeaseHolder(
              new MembershipOptions(
                  "ns", "replica", REPLICAS + 1, name, "one", LeaseOptions.DEFAULT, SMALL),
              this,
              this,
              new SplittableRandom(number),
              () -> name + "_" + ++tenures,
              () -> false);
    }

    void end() {
      steps.remove(this);
    }

    boolean isHeld() {
      return leases.list().stream().anyMatch(lease -> lease.holder().equals(name + "_" + tenures));
    }

    Duration period() {
      return holder.reads().listPeriod();
    }

    @Override
    public List<LeaseRecord> list() {
      answer();
      if (failLists) {
        throw new ApiStatusException(429, "TooManyRequests", "later", null, null);
      }
      lists++;
      return leases.list();
    }

    @Override
    public LeaseStore lease(String lease) {
      LeaseStore one = leases.lease(lease);
      return new LeaseStore() {
        @Override
        public Optional<LeaseRecord> get() {
          answer();
          reads++;
          return one.get();
        }

        @Override
        public LeaseRecord create(LeaseRecord record) {
          answer();
          return one.create(record);
        }

        @Override
        public LeaseRecord update(LeaseRecord record) {
          writes.add(nanos());
          answer();
          try {
            return one.update(record);
          } catch (ApiStatusException e) {
            refused++;
            throw e;
          }
        }
      };
    }

    private void answer() {
      ahead += delay.toNanos();
      if (down) {
        throw new ApiStatusException(ApiStatusException.NO_ANSWER, "", "no answer", null, null);
      }
    }

    @Override
    public long nanos() {
      return now + ahead;
    }

    @Override
    public Instant instant() {
      return Instant.EPOCH;
    }
  }
}
