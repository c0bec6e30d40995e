// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter;

import dev.coxswain.limiter.ReplicaView.Seat;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.retry.WindowChecker;
import dev.coxswain.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A cluster of replicas with the real budget and the real pool change, on virtual time, with faults
 * from a seeded schedule: late and lost messages, freezes, crashes, migrations, lost state, cuts,
 * clocks that are offset and drift. After the faults there is a time of peace.
 *
 * <p>What it takes as given is what the two Hazelcast settings are for: a change counts only when
 * it happened on the present owner and the backup has it.
 */
final class LimiterSimulation {
  private static final long MS = 1_000_000;
  private static final long LEASE = 1_500 * MS;
  private static final long FENCE = 1_200 * MS;
  private static final long DETECTION = 600 * MS;
  private static final long WAR = 6_000 * MS;

  final double rate;
  final int burst;
  private final Random random;
  private final ClusterShape shape;
  private final List<Node> nodes = new ArrayList<>();
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final long[] seatFreeAt;
  private final Shares shares;
  private final long judgedFrom;
  private final long end;
  private long now;
  private long order;
  private int primary;
  private int backup;
  private long[] starts = new long[256];
  private int count;
  int changes;

  private record Event(long at, long order, @Nullable Node node, int life, Runnable action)
      implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
  }

  LimiterSimulation(long seed) {
    this.random = new Random(seed);
    this.rate = new double[] {3, 10, 40}[random.nextInt(3)];
    this.burst = 2 + random.nextInt(random.nextBoolean() ? 6 : 60);
    int replicas = 1 + random.nextInt(5);
    this.shape =
        new ClusterShape(
            replicas + random.nextInt(2),
            random.nextInt(4) == 0 ? 0 : 0.1 + random.nextDouble() / 2);
    this.shares = Shares.of(new LimiterSpec("sim", rate, burst), shape);
    // A pool that was lost at the last moment has to come out of its debt first.
    this.judgedFrom = WAR + shares.horizon() + LEASE + 3_000 * MS;
    this.end = judgedFrom + 3_000 * MS;
    this.seatFreeAt = new long[shape.maxReplicas()];
    for (int i = 0; i < replicas; i++) {
      Node node = new Node();
      nodes.add(node);
      node.begin();
    }
    this.primary = 0;
    this.backup = replicas > 1 ? 1 : 0;
  }

  /** Runs the schedule. */
  void run() {
    fault();
    while (true) {
      Event event = events.poll();
      if (event == null || event.at > end) {
        return;
      }
      now = event.at;
      Node node = event.node;
      if (node == null) {
        event.action.run();
      } else if (node.life == event.life) {
        if (node.frozenUntil > now) {
          at(node.frozenUntil, node, event.action);
        } else {
          event.action.run();
        }
      }
    }
  }

  double worstExcess() {
    Arrays.sort(starts, 0, count);
    return WindowChecker.worst(starts, count, rate, burst).excess();
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

  int leastPerReplica() {
    return nodes.stream().mapToInt(node -> node.inPeace).min().orElse(0);
  }

  int replicas() {
    return nodes.size();
  }

  private void at(long time, @Nullable Node node, Runnable action) {
    events.add(new Event(Math.max(now, time), order++, node, node == null ? 0 : node.life, action));
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
    if (now >= WAR) {
      return;
    }
    Node node = nodes.get(random.nextInt(nodes.size()));
    switch (random.nextInt(9)) {
      case 0 -> node.freeze(random.nextLong(3_000 * MS));
      case 1 -> crash(node);
      case 2 -> crash(nodes.get(primary));
      case 3 -> nodes.get(primary).freeze(random.nextLong(3_000 * MS));
      case 4 -> moveTo(random.nextInt(nodes.size()));
      case 5 -> node.cutUntil = now + random.nextLong(1_500 * MS);
      case 6 -> replaceMember(node);
      case 7 -> replaceMember(nodes.get(primary));
      default -> loseEverything();
    }
    at(now + random.nextLong(1_200 * MS), null, this::fault);
  }

  private void crash(Node node) {
    if (node.down) {
      return;
    }
    node.life++;
    node.state = null;
    node.down = true;
    int index = nodes.indexOf(node);
    if (index == primary) {
      promote();
    } else if (index == backup) {
      chooseBackup();
    }
    // Its Lease is not given back: the seat is free when it has expired.
    node.giveSeatBackAt(node.renewedAt + LEASE);
    at(now + random.nextLong(1_000 * MS), null, node::begin);
    node.frozenUntil = 0;
  }

  /** The process goes on, with the permits it holds; what its member kept is gone. */
  private void replaceMember(Node node) {
    if (node.down || node.frozenUntil > now) {
      return;
    }
    node.state = null;
    node.idHigh = random.nextLong() | 1;
    int index = nodes.indexOf(node);
    if (index == primary) {
      promote();
    } else if (index == backup) {
      chooseBackup();
    }
  }

  /** The owner is gone: the backup's bytes count from now on, or nothing when there was none. */
  private void promote() {
    byte[] copy = backup == primary ? null : nodes.get(backup).state;
    primary = backup == primary ? aliveOtherThan(primary) : backup;
    nodes.get(primary).state = copy;
    chooseBackup();
  }

  private void chooseBackup() {
    backup = aliveOtherThan(primary);
    nodes.get(backup).state = nodes.get(primary).state;
  }

  private int aliveOtherThan(int index) {
    for (int i = 1; i < nodes.size(); i++) {
      int other = (index + i) % nodes.size();
      if (!nodes.get(other).down && nodes.get(other).frozenUntil <= now) {
        return other;
      }
    }
    return index;
  }

  private void moveTo(int index) {
    if (nodes.get(index).down || nodes.get(primary).frozenUntil > now) {
      return;
    }
    nodes.get(index).state = nodes.get(primary).state;
    primary = index;
    chooseBackup();
  }

  private void loseEverything() {
    nodes.forEach(node -> node.state = null);
  }

  /** Gives the pool an owner and a backup again when there are processes for it. */
  private void join() {
    if (nodes.get(primary).down) {
      primary = aliveOtherThan(primary);
      nodes.get(primary).state = null;
    }
    if (backup == primary || nodes.get(backup).down) {
      chooseBackup();
    }
  }

  /** One process after the other on one machine. */
  private final class Node implements ReplicaView, Clock {
    private long offset;
    private double drift;
    private byte @Nullable [] state;
    private boolean down = true;
    private int life;
    private long frozenUntil;
    private long cutUntil;
    private long renewedAt;
    private @Nullable Seat seat;
    private RetryBudget.@Nullable Lane lane;
    private long idHigh;
    private int inPeace;
    private long askingAt = -1;

    void begin() {
      down = false;
      life++;
      offset = random.nextLong(Long.MAX_VALUE / 2) - Long.MAX_VALUE / 4;
      drift = (random.nextDouble() - 0.5) * 4e-4;
      idHigh = random.nextLong() | 1;
      renewedAt = now;
      seat = null;
      SharedRetryBudget budget =
          new SharedRetryBudget(
              new LimiterSpec("sim", rate, burst),
              shape,
              this,
              this,
              this::call,
              Runnable::run,
              LEASE);
      int ours = life;
      lane = budget.openLane("all", () -> wake(ours));
      renew();
      ask();
    }

    @Override
    public long nanos() {
      return offset + now + (long) (now * drift);
    }

    @Override
    public Instant instant() {
      return Instant.EPOCH;
    }

    // ---- the lease ----

    private void renew() {
      join();
      if (now - renewedAt >= LEASE || seat == null) {
        takeSeat();
      }
      renewedAt = now;
      at(now + 200 * MS, this, this::renew);
    }

    private void takeSeat() {
      // Fenced meanwhile, or new: another seat, or the same anew.
      if (seat != null) {
        giveSeatBackAt(renewedAt + LEASE);
      }
      seat = null;
      for (int i = 0; i < seatFreeAt.length; i++) {
        if (seatFreeAt[i] <= now) {
          seatFreeAt[i] = Long.MAX_VALUE;
          seat = new Seat(i, nanos());
          return;
        }
      }
      for (Node other : nodes) {
        Seat expired = other.seat;
        if (expired != null && now - other.renewedAt >= LEASE) { // it is fenced by that
          other.seat = null;
          seat = new Seat(expired.ordinal(), nanos());
          return;
        }
      }
    }

    private void giveSeatBackAt(long time) {
      if (seat != null) {
        seatFreeAt[seat.ordinal()] = time;
        seat = null;
      }
    }

    @Override
    public boolean mayAct() {
      return now - renewedAt < FENCE;
    }

    @Override
    public @Nullable Seat seat() {
      return seat;
    }

    @Override
    public int liveReplicas() {
      return 1;
    }

    @Override
    public boolean isSeated(String address) {
      return true;
    }

    @Override
    public Set<String> memberAddresses() {
      return Set.of();
    }

    @Override
    public boolean poolAllowed() {
      return true;
    }

    @Override
    public String poolProblem() {
      return "";
    }

    void freeze(long howLong) {
      if (down) {
        return;
      }
      frozenUntil = Math.max(frozenUntil, now + howLong);
      int index = nodes.indexOf(this);
      if (howLong > DETECTION && nodes.size() > 1) {
        at(
            now + DETECTION,
            null,
            () -> {
              if (frozenUntil > now && index == primary) {
                promote();
              } else if (frozenUntil > now && index == backup) {
                chooseBackup();
              }
            });
      }
    }

    // ---- retries ----

    private void wake(int ours) {
      if (ours == life) {
        at(now, this, this::ask);
      }
    }

    private void ask() {
      RetryBudget.Lane asking = lane;
      if (asking == null || (random.nextInt(30) == 0 && now < WAR)) {
        askAt(now + random.nextLong(400 * MS)); // busy: it comes late
        return;
      }
      long wait = asking.tryAcquire(1_000);
      if (wait == 0) {
        long handOver = (long) (random.nextDouble() * 0.9 * shares.slackNanos());
        started(now + handOver);
        if (now >= judgedFrom) {
          inPeace++;
        }
        askAt(now + 1);
      } else {
        askAt(now + wait);
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

    private CompletionStage<byte[]> call(String limiter, byte[] request) {
      CompletableFuture<byte[]> answer = new CompletableFuture<>();
      if (now < cutUntil) {
        at(now + 1_000 * MS, this, () -> fail(answer));
        return answer;
      }
      Node owner = nodes.get(primary);
      if (owner.down || random.nextInt(200) == 0) {
        at(now + 1_000 * MS, this, () -> fail(answer));
        return answer;
      }
      int ownersLife = owner.life;
      int ours = life;
      at(now + travel(), null, () -> arrive(owner, ownersLife, request, ours, answer));
      return answer;
    }

    private void arrive(
        Node owner, int ownersLife, byte[] request, int ours, CompletableFuture<byte[]> answer) {
      if (owner.life != ownersLife) {
        answerAt(now + 300 * MS, ours, () -> fail(answer));
      } else if (owner.frozenUntil > now) {
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
      boolean owner = nodes.get(primary) == this;
      PoolChange change = PoolChange.apply("sim", state, request, new Owner());
      changes++;
      if (change.state() != null) {
        state = change.state();
      }
      Node second = nodes.get(backup);
      boolean acknowledged =
          owner
              && second.frozenUntil <= now
              && !second.down
              && (second != this || nodes.stream().filter(n -> !n.down).count() == 1);
      if (acknowledged) {
        second.state = state;
        if (random.nextInt(100) == 0) {
          asking.answerAt(now + 2_000 * MS, theirs, () -> fail(answer)); // the reply is lost
        } else {
          asking.answerAt(now + travel(), theirs, () -> answer.complete(change.reply()));
        }
      } else {
        asking.answerAt(now + 1_000 * MS, theirs, () -> fail(answer));
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
