// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.BudgetSplit;
import dev.coxswain.limiter.ClusterShape;
import dev.coxswain.limiter.LimiterSpec;
import dev.coxswain.limiter.PermissiveView;
import dev.coxswain.limiter.RateOverride;
import dev.coxswain.limiter.internal.bucket.PoolOwner;
import dev.coxswain.limiter.internal.bucket.PoolReply;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.retry.WindowChecker;
import dev.coxswain.spi.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of replicas with the real budget and the real pool change, on virtual time, with faults
 * from a seeded schedule: late and lost messages, freezes, crashes, migrations, lost state, cuts,
 * clocks that are offset and drift. After the faults there is a time of peace.
 */
final class LimiterSimulation {
  private static final long MS = 1_000_000;
  private static final long LEASE = SimulatedLeases.LEASE_NANOS;
  private static final long DETECTION = 600 * MS;
  private static final long WAR = 6_000 * MS;
  private static final long LONGEST_FREEZE = 3_000 * MS;

  final double rate;
  final int burst;
  private final Random random;
  private final ClusterShape shape;
  private final List<Node> nodes = new ArrayList<>();
  private final Timeline timeline = new Timeline();
  private final SimulatedPool pool;
  private final SimulatedLeases leases;
  private final BudgetSplit shares;
  private final long judgedFrom;
  private final long end;
  private final @Nullable SimulatedOverrides overrides;
  private long[] starts = new long[256];
  private int count;
  private int lostInCrashes;
  private final int busy;

  /**
   * Creates a schedule.
   *
   * @param overridden whether limits are overridden during the faults, and lowered in peace
   */
  LimiterSimulation(long seed, boolean overridden) {
    this.random = new Random(seed);
    this.rate = new double[] {3, 10, 40}[random.nextInt(3)];
    this.burst = 2 + random.nextInt(random.nextBoolean() ? 6 : 60);
    int replicas = 1 + random.nextInt(5);
    this.shape =
        new ClusterShape(
            replicas + random.nextInt(2),
            random.nextInt(4) == 0 ? 0 : 0.1 + random.nextDouble() / 2);
    this.busy = new int[] {3, 30, 1_000}[random.nextInt(3)];
    this.shares = BudgetSplit.of(new LimiterSpec("sim", rate, burst), shape);
    // A pool that was lost at the last moment has to come out of its debt first.
    this.judgedFrom = WAR + shares.horizon() + LEASE + 3_000 * MS;
    LimiterSpec spec = new LimiterSpec("sim", rate, burst);
    this.overrides =
        overridden
            ? new SimulatedOverrides(spec, shape, random, WAR + LONGEST_FREEZE + 100 * MS)
            : null;
    this.end = overrides == null ? judgedFrom + 3_000 * MS : overrides.end();
    this.leases = new SimulatedLeases(replicas, shape.maxReplicas());
    for (int i = 0; i < replicas; i++) {
      nodes.add(new Node(i));
    }
    this.pool = new SimulatedPool(new Members());
    nodes.forEach(Node::begin);
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

  /** Returns by how much the starts once the lower limit holds are fewer than they should be. */
  double lackingWhenLowered() {
    if (overrides == null) {
      return 0;
    }
    int found = 0;
    for (int i = 0; i < count; i++) {
      if (starts[i] >= overrides.settledAt() && starts[i] < overrides.endsAt()) {
        found++;
      }
    }
    return overrides.expected(nodes.size()) / 3 - 2 - found - lostInCrashes;
  }

  /** Some replica lowers the limit, again until it is certain that it is. */
  private void lower(SimulatedOverrides what) {
    Node node = nodes.get(random.nextInt(nodes.size()));
    if (node.down) {
      at(now() + 100 * MS, null, () -> lower(what));
      return;
    }
    long sentAt = now();
    node.override(
        what.lower(),
        done -> {
          if (done) {
            what.lowered(sentAt, now());
            at(what.settledAt(), null, () -> restartWhileLowered(what));
          } else {
            at(now() + 100 * MS, null, () -> lower(what));
          }
        });
  }

  /**
   * Replicas start anew under the lower limit, and their members take long to join: what such a
   * replica may use alone is that of the configuration, which is more.
   */
  private void restartWhileLowered(SimulatedOverrides what) {
    if (now() >= what.endsAt()) {
      return;
    }
    Node node = nodes.get(random.nextInt(nodes.size()));
    if (!node.down && pool.keepsNothing(node.index)) {
      lostInCrashes += what.lostInCrash();
      crash(node);
      node.joinNanos = LEASE + random.nextLong(LEASE / 2);
    }
    at(now() + (2_000 + random.nextLong(2_000)) * MS, null, () -> restartWhileLowered(what));
  }

  int startsInPeace() {
    int found = 0;
    for (int i = 0; i < count; i++) {
      if (starts[i] >= judgedFrom && starts[i] < end) {
        found++;
      }
    }
    return found;
  }

  /** Returns how many retries should have started in peace if all went at the rate. */
  double expectedInPeace() {
    return rate * (end - judgedFrom) / 1e9;
  }

  private long now() {
    return timeline.now();
  }

  private void at(long time, @Nullable Node node, Runnable action) {
    timeline.at(time, node, action);
  }

  private void started(long time) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, count * 2);
    }
    starts[count++] = time;
  }

  private long travel() {
    return switch (random.nextInt(40)) {
      case 0 -> random.nextLong(700 * MS);
      case 1, 2 -> random.nextLong(20 * MS);
      default -> 20_000 + random.nextLong(MS);
    };
  }

  // ---- faults ----

  private void fault() {
    if (now() >= WAR) {
      return;
    }
    Node node = nodes.get(random.nextInt(nodes.size()));
    switch (random.nextInt(overrides == null ? 9 : 14)) {
      case 0 -> node.freeze(random.nextLong(LONGEST_FREEZE));
      case 1 -> crash(node);
      case 2 -> crash(nodes.get(pool.owner()));
      case 3 -> nodes.get(pool.owner()).freeze(random.nextLong(LONGEST_FREEZE));
      case 4 -> pool.moveTo(random.nextInt(nodes.size()));
      case 5 -> node.cut(random.nextLong(1_500 * MS));
      case 6 -> replaceMember(node);
      case 7 -> replaceMember(nodes.get(pool.owner()));
      case 8 -> pool.loseEverything();
      default -> {
        if (!node.down && overrides != null) {
          node.override(overrides.next(), done -> {});
          if (random.nextInt(4) == 0) {
            cutAllBut(node);
          }
        }
      }
    }
    at(now() + random.nextLong(1_200 * MS), null, this::fault);
  }

  /** The others do not receive what a replica is about to do, but for the owner of the pool. */
  private void cutAllBut(Node node) {
    for (Node other : nodes) {
      if (other != node && other.index != pool.owner()) {
        other.cut(random.nextLong(WAR));
      }
    }
  }

  private void crash(Node node) {
    if (node.down) {
      return;
    }
    node.life++;
    node.down = true;
    node.joinNanos = random.nextBoolean() ? 0 : random.nextLong(LEASE);
    pool.lost(node.index);
    leases.expire(node.index);
    at(now() + random.nextLong(1_000 * MS), null, node::begin);
    node.frozenUntil = 0;
  }

  /** The process goes on, with the permits it holds; what its member kept is gone. */
  private void replaceMember(Node node) {
    if (node.down || node.frozenUntil > now()) {
      return;
    }
    node.idHigh = random.nextLong() | 1;
    pool.lost(node.index);
  }

  /** The processes as the members of the pool. */
  private final class Members implements SimulatedPool.Processes {
    @Override
    public int count() {
      return nodes.size();
    }

    @Override
    public boolean isDown(int member) {
      return nodes.get(member).down;
    }

    @Override
    public boolean isFrozen(int member) {
      return nodes.get(member).frozenUntil > now();
    }
  }

  /** One process after the other on one machine. */
  private final class Node implements PermissiveView, Clock, Timeline.Actor {
    private final int index;
    private long offset;
    private double drift;
    private boolean down = true;
    private int life;
    private long frozenUntil;
    private long cutUntil;
    private long joinNanos;
    private long joinedAt;
    private RetryBudget.@Nullable Waiter waiter;
    private @Nullable SharedRetryBudget running;
    private long idHigh;
    private long askingAt = -1;

    Node(int index) {
      this.index = index;
    }

    void begin() {
      down = false;
      life++;
      offset = random.nextLong(Long.MAX_VALUE / 2) - Long.MAX_VALUE / 4;
      drift = (random.nextDouble() * 2 - 1) * (SimulatedOverrides.FASTEST_CLOCK - 1);
      idHigh = random.nextLong() | 1;
      joinedAt = now() + joinNanos;
      leases.begin(index);
      SharedRetryBudget budget =
          new SharedRetryBudget(
              new LimiterSpec("sim", rate, burst),
              shape,
              this,
              this,
              this::call,
              Runnable::run,
              LEASE);
      running = budget;
      int ours = life;
      waiter = budget.openWaiter("all", () -> wake(ours));
      renew();
      ask();
    }

    @Override
    public long nanos() {
      return offset + now() + (long) (now() * drift);
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
      pool.join();
      leases.renew(index, now(), nanos(), Objects.requireNonNull(running)::mayBeOverridden);
      at(now() + 200 * MS, this, this::renew);
    }

    @Override
    public boolean mayAct() {
      return leases.mayAct(index, now());
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
      return leases.listed(index, now());
    }

    @Override
    public boolean overrideSeen() {
      return leases.overrideSeen(index);
    }

    void cut(long howLong) {
      cutUntil = Math.min(WAR + 1_500 * MS, now() + howLong);
    }

    void freeze(long howLong) {
      if (down) {
        return;
      }
      frozenUntil = Math.max(frozenUntil, now() + howLong);
      if (howLong > DETECTION && nodes.size() > 1) {
        at(
            now() + DETECTION,
            null,
            () -> {
              if (frozenUntil > now()) {
                pool.leave(index);
              }
            });
      }
    }

    // ---- retries ----

    private void wake(int ours) {
      if (ours == life) {
        at(now(), this, this::ask);
      }
    }

    private void ask() {
      RetryBudget.Waiter asking = waiter;
      boolean late = random.nextInt(busy) == 0;
      if (asking == null || (late && now() < WAR)) {
        askAt(now() + random.nextLong(400 * MS)); // busy: it comes late
        return;
      } else if (late && overrides != null && random.nextBoolean()) {
        askAt(now() + random.nextLong(100 * MS)); // some permits are used at the end of their life
        return;
      }
      long wait = asking.tryAcquire(1_000);
      if (wait == 0) {
        long slack = overrides == null ? shares.slackNanos() : overrides.leastSlack();
        long handOver = (long) (random.nextDouble() * 0.9 * slack);
        started(now() + handOver);
        askAt(now() + 1);
      } else {
        askAt(now() + wait);
      }
    }

    private void askAt(long time) {
      askingAt = time;
      at(
          time,
          this,
          () -> {
            if (askingAt == time) {
              ask();
            }
          });
    }

    // ---- the pool ----

    /** Sets an override; what comes of it is said unless this life ends before. */
    void override(RateOverride set, Consumer<Boolean> done) {
      SharedRetryBudget budget = Objects.requireNonNull(running);
      long sentAt = nanos();
      call("sim", budget.request(0, set).encode())
          .whenComplete((bytes, e) -> {
            PoolReply reply = bytes == null ? null : PoolReply.decode(bytes);
            boolean is = reply != null && reply.status() == PoolReply.Status.DONE;
            if (is && reply != null) {
              budget.told(reply, sentAt);
            }
            done.accept(is);
          });
    }

    private CompletionStage<byte[]> call(String limiter, byte[] request) {
      CompletableFuture<byte[]> answer = new CompletableFuture<>();
      if (now() < joinedAt) {
        at(now() + MS, this, () -> fail(answer));
        return answer;
      }
      if (now() < cutUntil) {
        at(now() + 1_000 * MS, this, () -> fail(answer));
        return answer;
      }
      Node owner = nodes.get(pool.owner());
      if (owner.down || random.nextInt(200) == 0) {
        at(now() + 1_000 * MS, this, () -> fail(answer));
        return answer;
      }
      int ownersLife = owner.life;
      int ours = life;
      at(now() + travel(), null, () -> arrive(owner, ownersLife, request, ours, answer));
      return answer;
    }

    private void arrive(
        Node owner, int ownersLife, byte[] request, int ours, CompletableFuture<byte[]> answer) {
      if (owner.life != ownersLife) {
        answerAt(now() + 300 * MS, ours, () -> fail(answer));
      } else if (owner.frozenUntil > now()) {
        at(owner.frozenUntil, null, () -> arrive(owner, ownersLife, request, ours, answer));
      } else {
        owner.change(request, this, ours, answer);
      }
    }

    private void answerAt(long time, int ours, Runnable action) {
      if (ours == life) {
        at(time, this, action);
      }
    }

    private static void fail(CompletableFuture<byte[]> answer) {
      answer.completeExceptionally(new IllegalStateException("simulated"));
    }

    /** Runs on the owner, or on one that does not know yet that it is none any more. */
    private void change(byte[] request, Node asking, int theirs, CompletableFuture<byte[]> answer) {
      byte[] reply = pool.change(index, request, new Owner());
      if (reply == null) {
        asking.answerAt(now() + 1_000 * MS, theirs, () -> fail(answer));
      } else if (random.nextInt(100) == 0) {
        asking.answerAt(now() + 2_000 * MS, theirs, () -> fail(answer)); // the reply is lost
      } else {
        asking.answerAt(now() + travel(), theirs, () -> answer.complete(reply));
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
        return Node.this.nanos();
      }

      @Override
      public boolean hasMajority(int liveReplicas) {
        return true;
      }
    }
  }
}
