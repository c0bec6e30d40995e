// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.limiter.internal.ClusterSecret;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.LimiterStatus;
import dev.coxswain.limiter.internal.MemberOptions;
import dev.coxswain.limiter.internal.PermissiveView;
import dev.coxswain.limiter.internal.member.LimiterMember;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.retry.WindowChecker;
import dev.coxswain.testing.Await;
import dev.coxswain.testing.process.FreePorts;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Replicas of two generations, which cannot be in one Hazelcast cluster, during a roll-out. The
 * views of both allow the pool all the time: worse than the Leases ever do.
 */
@Order(1) // takes long
class GenerationsTest {
  private static final int MAX_REPLICAS = 3;
  private static final LimiterSpec SPEC = new LimiterSpec("x", 50, 20);

  /** Whether generations differ in their secret, not in their version. */
  private boolean bySecret;

  private final Vertx vertx = Vertx.vertx();
  private final Set<String> leaseHolders = ConcurrentHashMap.newKeySet();
  private final ConcurrentLinkedQueue<Long> starts = new ConcurrentLinkedQueue<>();
  private final List<Replica> replicas = new CopyOnWriteArrayList<>();
  private final List<String> addresses =
      FreePorts.find(5).stream().map(port -> "127.0.0.1:" + port).toList();
  private final String cluster = "generations-" + addresses.getFirst().hashCode();

  GenerationsTest() throws Exception {}

  /** A replica that always wants to retry, from when it acquires a Lease until it gives it up. */
  private final class Replica implements PermissiveView {
    private final String address;
    private final LimiterMember member;
    private final SharedRetryBudget budget;
    private final Semaphore woken = new Semaphore(0);
    private final Thread retries = new Thread(this::retry);
    private volatile @Nullable Lease lease;

    Replica(String generation, int number) {
      address = addresses.get(number);
      member =
          LimiterMember.create(
              vertx,
              MemberOptions.of("replica-" + number)
                  .withPort(Integer.parseInt(address.substring(address.indexOf(':') + 1)))
                  .withMembers(addresses)
                  .withClusterName(bySecret ? cluster : cluster + generation)
                  .withClusterSecret(
                      bySecret ? ClusterSecret.of("the secret of this one is " + generation) : null)
                  .withMaxReplicas(MAX_REPLICAS)
                  .withFloorShare(0.2)
                  .withViewAge(Duration.ofSeconds(1)),
              this,
              joined -> {});
      budget = (SharedRetryBudget) member.budget(SPEC);
      replicas.add(this);
      Await.get(member.start());
    }

    void acquireLease(int ordinal) {
      lease = new Lease(ordinal, System.nanoTime());
      leaseHolders.add(address);
      retries.start();
    }

    void end() throws InterruptedException {
      lease = null;
      woken.release();
      retries.join();
      Await.get(member.stop());
      leaseHolders.remove(address);
    }

    private void retry() {
      RetryBudget.Waiter waiter = budget.openWaiter("all", woken::release);
      try {
        while (lease != null) {
          long wait = waiter.tryAcquire(1_000);
          if (wait == 0) {
            starts.add(budget.lastStart());
          } else if (woken.tryAcquire(wait, TimeUnit.NANOSECONDS)) {
            woken.drainPermits();
          }
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    LimiterStatus.Limiter status() {
      return member.status().limiters().getFirst();
    }

    /** Returns what is true once so many retries have started from the floor, from now on. */
    BooleanSupplier getsMoreOfItsFloor(int tokens) {
      long before = status().grantedByFloor();
      return () -> status().grantedByFloor() > before + tokens;
    }

    /** Returns what is true once so many have started with permits of the pool, from now on. */
    BooleanSupplier getsMore(int permits) {
      long before = status().grantedByPool();
      return () -> status().grantedByPool() > before + permits;
    }

    @Override
    public boolean mayAct() {
      return lease != null;
    }

    @Override
    public @Nullable Lease lease() {
      return lease;
    }

    @Override
    public int liveReplicas() {
      return MAX_REPLICAS;
    }

    @Override
    public boolean holdsLease(String member) {
      return leaseHolders.contains(member);
    }

    @Override
    public Set<String> memberAddresses() {
      return Set.copyOf(leaseHolders);
    }

    @Override
    public String toString() {
      return member.status().toString();
    }
  }

  @AfterEach
  void endAll() throws InterruptedException {
    for (Replica replica : replicas) {
      replica.end();
    }
    Await.get(vertx.close());
  }

  private void await(String what, BooleanSupplier... conditions) throws InterruptedException {
    for (BooleanSupplier condition : conditions) {
      Await.until(what, condition, () -> replicas);
    }
  }

  private void assertNoWindowIsExceeded() {
    long[] times = starts.stream().mapToLong(Long::longValue).sorted().toArray();
    assertThat(WindowChecker.worst(times, times.length, SPEC.rate(), SPEC.burst()).excess())
        .as("worst window of %s starts", times.length)
        .isLessThanOrEqualTo(0);
  }

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void rollOutOfAnotherSecret_keepsToOneBudgetAsWell() throws Exception {
    bySecret = true;
    rollOut();
  }

  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES) // every wait inside has its own limit
  void rollOutToAnotherGeneration_keepsToOneBudget_andTheMajorityHasThePool() throws Exception {
    rollOut();
  }

  private void rollOut() throws Exception {
    Replica old0 = new Replica("-old", 0);
    Replica old1 = new Replica("-old", 1);
    Replica new2 = new Replica("-new", 2);
    old0.acquireLease(0);
    old1.acquireLease(1);
    new2.acquireLease(2);
    await("the old ones have the pool", old0.getsMore(30), old1.getsMore(30));
    await("the new one has its floor", new2.getsMoreOfItsFloor(5));
    await("the new one knows why", () -> new2.status().degraded() != null);
    assertThat(new2.status().grantedByPool()).isZero();
    assertThat(new2.member.status().members()).as("it may be joining afresh").isLessThan(2);
    assertThat(old0.member.status().members()).isEqualTo(2);

    old1.end();
    Replica new1 = new Replica("-new", 3);
    new1.acquireLease(1);
    await("the new ones have the pool", new1.getsMore(30), new2.getsMore(30));
    await("the old one has its floor alone", () -> old0.status().degraded() != null);
    await("what it held of the pool is gone", old0.getsMoreOfItsFloor(5));
    long byPool = old0.status().grantedByPool();
    await("it goes on with its floor", old0.getsMoreOfItsFloor(5));
    assertThat(old0.status().grantedByPool()).isEqualTo(byPool);

    old0.end();
    Replica new0 = new Replica("-new", 4);
    new0.acquireLease(0);
    await("all have the pool", new0.getsMore(30), new1.getsMore(30), new2.getsMore(30));
    assertThat(new ArrayList<>(starts)).hasSizeGreaterThan(200);
    assertNoWindowIsExceeded();
  }
}
