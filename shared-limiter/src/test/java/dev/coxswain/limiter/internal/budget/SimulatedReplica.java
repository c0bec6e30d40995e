// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.PermissiveView;
import dev.coxswain.limiter.internal.RateOverride;
import dev.coxswain.limiter.internal.bucket.PoolOwner;
import dev.coxswain.limiter.internal.bucket.PoolReply;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.spi.Clock;
import java.time.Instant;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A replica of a {@link LimiterSimulation}: processes on one machine, one after the other, each with
 * the real budget.
 *
 * <p>Thread rule: one thread.
 */
final class SimulatedReplica implements PermissiveView, Clock, Timeline.Actor {
  private static final long MS = 1_000_000;
  private static final long DETECTION = 600 * MS;

  private final LimiterSimulation simulation;
  private final Random random;
  private final SimulatedLeases leases;
  private final @Nullable SimulatedOverrides overrides;
  final int index;
  private long offset;
  private double drift;
  boolean down = true;
  int life;
  long frozenUntil;
  private long cutUntil;
  long joinNanos;
  private long joinedAt;
  private RetryBudget.@Nullable Waiter waiter;
  private @Nullable SharedRetryBudget running;
  long idHigh;
  private long nextAcquireAt = -1;

  SimulatedReplica(LimiterSimulation simulation, int index) {
    this.simulation = simulation;
    this.random = simulation.random;
    this.leases = simulation.leases;
    this.overrides = simulation.overrides;
    this.index = index;
  }

  void begin() {
    down = false;
    life++;
    offset = random.nextLong(Long.MAX_VALUE / 2) - Long.MAX_VALUE / 4;
    drift = (random.nextDouble() * 2 - 1) * (SimulatedOverrides.FASTEST_CLOCK - 1);
    idHigh = random.nextLong() | 1;
    joinedAt = simulation.now() + joinNanos;
    leases.begin(index);
    SharedRetryBudget budget =
        new SharedRetryBudget(
            new LimiterSpec("sim", simulation.rate, simulation.burst),
            simulation.shape,
            this,
            this,
            this::call,
            Runnable::run,
            LimiterSimulation.LEASE);
    running = budget;
    int ours = life;
    waiter = budget.openWaiter("all", () -> wake(ours));
    renew();
    acquire();
  }

  @Override
  public long nanos() {
    return offset + simulation.now() + (long) (simulation.now() * drift);
  }

  @Override
  public int life() {
    return life;
  }

  @Override
  public long frozenUntil() {
    return frozenUntil;
  }

  @Override
  public Instant instant() {
    return Instant.EPOCH;
  }

  // ---- the lease ----

  private void renew() {
    simulation.pool.join();
    leases.renew(
        index, simulation.now(), nanos(), Objects.requireNonNull(running)::mayBeOverridden);
    simulation.at(simulation.now() + 200 * MS, this, this::renew);
  }

  @Override
  public boolean mayAct() {
    return leases.mayAct(index, simulation.now());
  }

  @Override
  public @Nullable Lease lease() {
    return leases.lease(index);
  }

  @Override
  public int liveReplicas() {
    return 1;
  }

  @Override
  public boolean othersListed() {
    return leases.listed(index, simulation.now());
  }

  @Override
  public boolean overrideSeen() {
    return leases.overrideSeen(index);
  }

  void cut(long howLong) {
    cutUntil = Math.min(LimiterSimulation.FAULTS_END + 1_500 * MS, simulation.now() + howLong);
  }

  void freeze(long howLong) {
    if (down) {
      return;
    }
    frozenUntil = Math.max(frozenUntil, simulation.now() + howLong);
    if (howLong > DETECTION && simulation.replicas.size() > 1) {
      simulation.at(
          simulation.now() + DETECTION,
          null,
          () -> {
            if (frozenUntil > simulation.now()) {
              simulation.pool.leave(index);
            }
          });
    }
  }

  // ---- retries ----

  private void wake(int ours) {
    if (ours == life) {
      simulation.at(simulation.now(), this, this::acquire);
    }
  }

  private void acquire() {
    RetryBudget.Waiter current = waiter;
    boolean late = random.nextInt(simulation.busy) == 0;
    if (current == null || (late && simulation.now() < LimiterSimulation.FAULTS_END)) {
      acquireAt(simulation.now() + random.nextLong(400 * MS)); // busy workers
      return;
    } else if (late && overrides != null && random.nextBoolean()) {
      acquireAt(
          simulation.now()
              + random.nextLong(
                  LimiterSimulation.LATE)); // some permits are used shortly before they expire
      return;
    }
    long wait = current.tryAcquire(1_000);
    if (wait == 0) {
      long slack = overrides == null ? simulation.split.slackNanos() : overrides.leastSlack();
      long handOver = (long) (random.nextDouble() * 0.9 * slack);
      simulation.started(simulation.now() + handOver);
      acquireAt(simulation.now() + 1);
    } else {
      acquireAt(simulation.now() + wait);
    }
  }

  private void acquireAt(long time) {
    nextAcquireAt = time;
    simulation.at(
        time,
        this,
        () -> {
          if (nextAcquireAt == time) {
            acquire();
          }
        });
  }

  // ---- the pool ----

  /** Sets an override; {@code done} receives whether it was applied, unless the process ends before. */
  void override(RateOverride set, Consumer<Boolean> done) {
    SharedRetryBudget budget = Objects.requireNonNull(running);
    long sentAt = nanos();
    call("sim", budget.request(0, set).encode())
        .whenComplete((bytes, e) -> {
          PoolReply reply = bytes == null ? null : PoolReply.decode(bytes);
          boolean applied = reply != null && reply.status() == PoolReply.Status.DONE;
          if (applied && reply != null) {
            budget.onOverrideReply(reply, sentAt);
          }
          done.accept(applied);
        });
  }

  private CompletionStage<byte[]> call(String limiter, byte[] request) {
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    if (simulation.now() < joinedAt) {
      simulation.at(simulation.now() + MS, this, () -> fail(answer));
      return answer;
    }
    if (simulation.now() < cutUntil) {
      simulation.at(simulation.now() + 1_000 * MS, this, () -> fail(answer));
      return answer;
    }
    SimulatedReplica owner = simulation.replicas.get(simulation.pool.owner());
    if (owner.down || random.nextInt(200) == 0) {
      simulation.at(simulation.now() + 1_000 * MS, this, () -> fail(answer));
      return answer;
    }
    int ownerLife = owner.life;
    int ours = life;
    simulation.at(
        simulation.now() + simulation.travel(),
        null,
        () -> arrive(owner, ownerLife, request, ours, answer));
    return answer;
  }

  private void arrive(
      SimulatedReplica owner,
      int ownerLife,
      byte[] request,
      int ours,
      CompletableFuture<byte[]> answer) {
    if (owner.life != ownerLife) {
      answerAt(simulation.now() + 300 * MS, ours, () -> fail(answer));
    } else if (owner.frozenUntil > simulation.now()) {
      simulation.at(owner.frozenUntil, null, () -> arrive(owner, ownerLife, request, ours, answer));
    } else {
      owner.change(request, this, ours, answer);
    }
  }

  private void answerAt(long time, int ours, Runnable action) {
    if (ours == life) {
      simulation.at(time, this, action);
    }
  }

  private static void fail(CompletableFuture<byte[]> answer) {
    answer.completeExceptionally(new IllegalStateException("simulated"));
  }

  /** Runs on the owner, or on a former owner that has not been replaced in its own view. */
  private void change(
      byte[] request, SimulatedReplica caller, int callerLife, CompletableFuture<byte[]> answer) {
    byte[] reply = simulation.pool.change(index, request, new Owner());
    if (reply == null) {
      caller.answerAt(simulation.now() + 1_000 * MS, callerLife, () -> fail(answer));
    } else if (random.nextInt(100) == 0) {
      caller.answerAt(
          simulation.now() + 2_000 * MS, callerLife, () -> fail(answer)); // the reply is lost
    } else {
      caller.answerAt(
          simulation.now() + simulation.travel(), callerLife, () -> answer.complete(reply));
    }
  }

  private final class Owner implements PoolOwner {
    @Override
    public long idHigh() {
      return idHigh;
    }

    @Override
    public long idLow() {
      return 7;
    }

    @Override
    public long nanos() {
      return SimulatedReplica.this.nanos();
    }

    @Override
    public boolean hasMajority(int liveReplicas) {
      return true;
    }

    @Override
    public boolean hasBackup(String limiter, int liveReplicas) {
      return true;
    }
  }
}
