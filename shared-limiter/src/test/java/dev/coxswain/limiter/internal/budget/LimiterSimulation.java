// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.internal.BudgetSplit;
import dev.coxswain.limiter.internal.ClusterShape;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.retry.WindowChecker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of replicas with the real budget and the real pool change, on virtual time, with faults
 * from a seeded schedule: late and lost messages, freezes, crashes, migrations, lost state, cuts,
 * clocks that are offset and drift. The last part has no faults.
 */
final class LimiterSimulation {
  private static final long MS = 1_000_000;
  static final long LEASE = SimulatedLeases.LEASE_NANOS;
  static final long FAULTS_END = 6_000 * MS;
  private static final long LONGEST_FREEZE = 3_000 * MS;

  /** By how much workers are late at most after the faults. */
  static final long LATE = 100 * MS;

  final double rate;
  final int burst;
  final Random random;
  final ClusterShape shape;
  final List<SimulatedReplica> replicas = new ArrayList<>();
  private final Timeline timeline = new Timeline();
  final SimulatedPool pool;
  final SimulatedLeases leases;
  final BudgetSplit split;
  private final long judgedFrom;
  private final long end;
  final @Nullable SimulatedOverrides overrides;
  private long[] starts = new long[256];
  private int count;
  private int lostInCrashes;
  final int busy;

  /**
   * Creates a schedule.
   *
   * @param overridden whether limits are overridden during the faults, and lowered after the faults
   */
  LimiterSimulation(long seed, boolean overridden) {
    this.random = new Random(seed);
    this.rate = new double[] {3, 10, 40}[random.nextInt(3)];
    this.burst = 2 + random.nextInt(random.nextBoolean() ? 6 : 60);
    int size = 1 + random.nextInt(5);
    this.shape =
        new ClusterShape(
            size + random.nextInt(2), random.nextInt(4) == 0 ? 0 : 0.1 + random.nextDouble() / 2);
    this.busy = new int[] {3, 30, 1_000}[random.nextInt(3)];
    this.split = BudgetSplit.of(new LimiterSpec("sim", rate, burst), shape);
    // A pool that was lost at the last moment has a debt first.
    this.judgedFrom = FAULTS_END + split.horizon() + LEASE + 3_000 * MS;
    LimiterSpec spec = new LimiterSpec("sim", rate, burst);
    this.overrides =
        overridden
            ? new SimulatedOverrides(spec, shape, random, FAULTS_END + LONGEST_FREEZE + 100 * MS)
            : null;
    this.end = overrides == null ? judgedFrom + 3_000 * MS : overrides.end();
    this.leases = new SimulatedLeases(size, shape.maxReplicas());
    for (int i = 0; i < size; i++) {
      replicas.add(new SimulatedReplica(this, i));
    }
    this.pool = new SimulatedPool(new Members());
    replicas.forEach(SimulatedReplica::begin);
  }

  /** Runs the schedule. */
  void run() {
    fault();
    if (overrides != null) {
      at(overrides.loweredAt(), null, () -> lower(overrides));
    }
    timeline.runUntil(end);
  }

  double worstExcess() {
    Arrays.sort(starts, 0, count);
    return overrides == null
        ? WindowChecker.worst(starts, count, rate * SimulatedOverrides.FASTEST_CLOCK, burst)
            .excess()
        : WindowChecker.worst(starts, count, overrides.limits()).excess();
  }

  /** Returns how many starts there were once the lower limit held, lost ones included. */
  int startsWhenLowered() {
    SimulatedOverrides lowered = Objects.requireNonNull(overrides);
    int found = 0;
    for (int i = 0; i < count; i++) {
      if (starts[i] >= lowered.settledAt() && starts[i] < lowered.endsAt()) {
        found++;
      }
    }
    return found + lostInCrashes;
  }

  /** Returns how many there should be at least, but for a few at the edges. */
  double fewestWhenLowered() {
    SimulatedOverrides lowered = Objects.requireNonNull(overrides);
    // A permit that a late worker fetches after its life is lost. With a small burst it lives
    // shorter than some workers are late.
    boolean expire = busy < 30 && lowered.permitLife() < LATE;
    return lowered.expected(replicas.size()) / (expire ? 5 : 3);
  }

  /** A replica lowers the limit, and retries until this is confirmed. */
  private void lower(SimulatedOverrides overrides) {
    SimulatedReplica replica = replicas.get(random.nextInt(replicas.size()));
    if (replica.down) {
      at(now() + 100 * MS, null, () -> lower(overrides));
      return;
    }
    long sentAt = now();
    replica.override(
        overrides.lower(),
        done -> {
          if (done) {
            overrides.lowered(sentAt, now());
            at(overrides.settledAt(), null, () -> restartWhileLowered(overrides));
          } else {
            at(now() + 100 * MS, null, () -> lower(overrides));
          }
        });
  }

  /**
   * Restarts replicas under the lower limit. Their members take long to join, and the configured
   * floor of such a replica is more than its part of the lower limit.
   */
  private void restartWhileLowered(SimulatedOverrides overrides) {
    if (now() >= overrides.endsAt()) {
      return;
    }
    SimulatedReplica replica = replicas.get(random.nextInt(replicas.size()));
    if (!replica.down && pool.keepsNothing(replica.index)) {
      lostInCrashes += overrides.lostInCrash();
      crash(replica);
      replica.joinNanos = LEASE + random.nextLong(LEASE / 2);
    }
    at(now() + (2_000 + random.nextLong(2_000)) * MS, null, () -> restartWhileLowered(overrides));
  }

  int startsAfterFaults() {
    int found = 0;
    for (int i = 0; i < count; i++) {
      if (starts[i] >= judgedFrom && starts[i] < end) {
        found++;
      }
    }
    return found;
  }

  /** Returns how many retries start after the faults at the full rate. */
  double expectedAfterFaults() {
    return rate * (end - judgedFrom) / 1e9;
  }

  long now() {
    return timeline.now();
  }

  void at(long time, @Nullable SimulatedReplica replica, Runnable action) {
    timeline.at(time, replica, action);
  }

  void started(long time) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, count * 2);
    }
    starts[count++] = time;
  }

  long travel() {
    return switch (random.nextInt(40)) {
      case 0 -> random.nextLong(700 * MS);
      case 1, 2 -> random.nextLong(20 * MS);
      default -> 20_000 + random.nextLong(MS);
    };
  }

  // ---- faults ----

  private void fault() {
    if (now() >= FAULTS_END) {
      return;
    }
    SimulatedReplica replica = replicas.get(random.nextInt(replicas.size()));
    switch (random.nextInt(overrides == null ? 9 : 14)) {
      case 0 -> replica.freeze(random.nextLong(LONGEST_FREEZE));
      case 1 -> crash(replica);
      case 2 -> crash(replicas.get(pool.owner()));
      case 3 -> replicas.get(pool.owner()).freeze(random.nextLong(LONGEST_FREEZE));
      case 4 -> pool.moveTo(random.nextInt(replicas.size()));
      case 5 -> replica.cut(random.nextLong(1_500 * MS));
      case 6 -> replaceMember(replica);
      case 7 -> replaceMember(replicas.get(pool.owner()));
      case 8 -> pool.loseEverything();
      default -> {
        if (!replica.down && overrides != null) {
          replica.override(overrides.next(), done -> {});
          if (random.nextInt(4) == 0) {
            cutAllBut(replica);
          }
        }
      }
    }
    at(now() + random.nextLong(1_200 * MS), null, this::fault);
  }

  /** Cuts off all replicas except one and the owner of the pool. */
  private void cutAllBut(SimulatedReplica replica) {
    for (SimulatedReplica other : replicas) {
      if (other != replica && other.index != pool.owner()) {
        other.cut(random.nextLong(FAULTS_END));
      }
    }
  }

  private void crash(SimulatedReplica replica) {
    if (replica.down) {
      return;
    }
    replica.life++;
    replica.down = true;
    replica.joinNanos = random.nextBoolean() ? 0 : random.nextLong(LEASE);
    pool.lost(replica.index);
    leases.expire(replica.index);
    at(now() + random.nextLong(1_000 * MS), null, replica::begin);
    replica.frozenUntil = 0;
  }

  /** Replaces the member of a replica: its permits stay, the state of its member is lost. */
  private void replaceMember(SimulatedReplica replica) {
    if (replica.down || replica.frozenUntil > now()) {
      return;
    }
    replica.idHigh = random.nextLong() | 1;
    pool.lost(replica.index);
  }

  /** The processes as the members of the pool. */
  private final class Members implements SimulatedPool.Processes {
    @Override
    public int count() {
      return replicas.size();
    }

    @Override
    public boolean isDown(int member) {
      return replicas.get(member).down;
    }

    @Override
    public boolean isFrozen(int member) {
      return replicas.get(member).frozenUntil > now();
    }
  }
}
