// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.sharding.internal.lease.LeaseOptions;
import dev.coxswain.sharding.internal.lease.MemoryLeases;
import dev.coxswain.spi.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * A cluster on virtual time. Every replica has a thread, of which exactly one runs at a time: each
 * waits until the event that it is waiting for is due. So the order of everything follows from the
 * seed.
 */
final class MembershipSimulation implements AutoCloseable {

  private static final Duration CALL_LIMIT = Duration.ofMillis(2_500);

  private final Random random;
  private final int count;
  private final int small;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final MemoryLeases server = new MemoryLeases();
  private final Map<Integer, Replica> replicas = new TreeMap<>();
  private final MembershipChecks checks = new MembershipChecks(server);
  private boolean chaos;
  private long now;
  private long sequence;
  private long outageUntil;

  private record Event(long at, long sequence, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(sequence, other.sequence);
    }
  }

  /** Ends the thread of a replica that has been killed. */
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1;
  }

  /**
   * Creates a cluster without replicas.
   *
   * @param small up to how many replicas each lists all Leases all the time
   */
  MembershipSimulation(Random random, int count, int small) {
    this.random = random;
    this.count = count;
    this.small = small;
  }

  void start(int number, String generation) {
    Replica replica = new Replica("r" + number, generation);
    replicas.put(number, replica);
    replica.thread.start();
    replica.give();
  }

  /** Lets time pass with everything that can happen. */
  void chaos(Duration time, int count) {
    chaos = true;
    long end = now + time.toNanos();
    at(now + between(0, 5), () -> trouble(end, count));
    run(time);
    chaos = false;
  }

  /** Ends all trouble, and leaves as many replicas as there are Leases, all of one generation. */
  void heal(int count, String generation) {
    outageUntil = 0;
    replicas.values().forEach(Replica::kill);
    replicas.clear();
    for (int i = 0; i < count; i++) {
      start(i, generation);
    }
  }

  void run(Duration time) {
    long end = now + time.toNanos();
    while (!events.isEmpty() && events.peek().at <= end) {
      Event next = events.remove();
      now = next.at;
      next.action.run();
      check();
    }
    now = end;
  }

  MembershipChecks checks() {
    return checks;
  }

  List<ReplicaLeaseStatus> statuses() {
    return replicas.values().stream().map(replica -> replica.holder.status()).toList();
  }

  @Override
  public void close() throws InterruptedException {
    replicas.values().forEach(Replica::kill);
    for (Replica replica : replicas.values()) {
      replica.thread.join();
    }
  }

  private void check() {
    checks.check(
        now,
        replicas.values().stream()
            .map(replica ->
                new MembershipChecks.Observed(
                    replica.name,
                    replica.tenure,
                    replica.generation,
                    replica.holder,
                    replica.mayBeOverridden()))
            .toList());
  }

  private void trouble(long end, int count) {
    if (!chaos || now >= end) {
      return;
    }
    int who = random.nextInt(count);
    Replica replica = Objects.requireNonNull(replicas.get(who));
    switch (random.nextInt(8)) {
      case 0, 1 -> replica.frozenUntil = now + between(1, 40);
      case 2, 3 -> replica.cutUntil = now + between(1, 40);
      case 4 -> {
        replica.kill();
        restart(who);
      }
      case 5 -> {
        replica.leaving = true;
        restart(who);
      }
      case 6 -> replica.overridden = !replica.overridden;
      default -> outageUntil = random.nextInt(4) == 0 ? now + between(1, 30) : 0;
    }
    at(now + between(1, 20), () -> trouble(end, count));
  }

  /** Starts the next process of a name once the one before it is gone. */
  private void restart(int who) {
    at(
        now + between(0, 20),
        () -> {
          if (!chaos) {
            return;
          }
          if (Objects.requireNonNull(replicas.get(who)).gone()) {
            start(who, random.nextInt(4) == 0 ? "two" : "one");
          } else {
            restart(who);
          }
        });
  }

  private long between(int fromSeconds, int toSeconds) {
    return (long) ((fromSeconds + (toSeconds - fromSeconds) * random.nextDouble()) * 1e9);
  }

  private void at(long time, Runnable action) {
    events.add(new Event(time, sequence++, action));
  }

  /** One process: its thread, its clock, and its way to the server. */
  private final class Replica extends MemoryLeases.Called implements Clock {
    private final String name;
    private final String generation;
    private final ReplicaLeaseHolder holder;
    private final Thread thread;
    private final Semaphore turn = new Semaphore(0);
    private final Semaphore yielded = new Semaphore(0);
    private final long offset = random.nextLong();
    private final double rate = 1 + (random.nextDouble() - 0.5) / 500;
    private int tenure;
    private boolean overridden;
    private boolean killed;
    private boolean leaving;
    private boolean left;
    private long frozenUntil;
    private long cutUntil;

    Replica(String name, String generation) {
      super(server);
      this.name = name + "-" + sequence++;
      this.generation = generation;
      this.holder =
          new ReplicaLeaseHolder(
              new MembershipOptions(
                  "ns", "replica", count, this.name, generation, LeaseOptions.DEFAULT, small),
              this,
              this,
              new SplittableRandom(random.nextLong()),
              () -> this.name + "_" + ++tenure,
              this::mayBeOverridden);
      this.thread = Thread.ofVirtual().name(this.name).unstarted(this::live);
    }

    private void live() {
      turn.acquireUninterruptibly();
      try {
        while (!leaving) {
          sleep(holder.step().toNanos());
        }
        holder.resign();
        holder.release();
      } catch (Killed e) {
        // as it should be
      } finally {
        left = true;
        yielded.release();
      }
    }

    /** As one does that has received nothing from the pool but what is set here. */
    boolean mayBeOverridden() {
      return overridden || holder.overrideSeen();
    }

    boolean gone() {
      return left;
    }

    /** A dead process acts no more, whatever its thread would find out. */
    void kill() {
      killed = true;
      if (!left) {
        give();
      }
      holder.resign();
    }

    /** Lets the thread run until it waits. */
    private void give() {
      turn.release();
      yielded.acquireUninterruptibly();
    }

    private void sleep(long nanos) {
      wakeAt(now + nanos);
      yielded.release();
      turn.acquireUninterruptibly();
      if (killed) {
        throw new Killed();
      }
    }

    private void wakeAt(long time) {
      at(
          time,
          () -> {
            if (left) {
              return;
            }
            if (now < frozenUntil && chaos) {
              wakeAt(frozenUntil);
            } else {
              give();
            }
          });
    }

    /** One request: it may be late, or lost, and so may its answer. */
    @Override
    protected <T> T call(Supplier<T> action) {
      boolean cut = chaos && (now < outageUntil || now < cutUntil);
      if (cut || chance(0.01)) {
        sleep(chance(0.5) ? between(0, 1) : CALL_LIMIT.toNanos());
        throw noAnswer();
      }
      long there = latency();
      long back = latency();
      Answer<T> answer = new Answer<>();
      at(now + there, () -> answer.take(action));
      if (chance(0.02) || there + back > CALL_LIMIT.toNanos()) {
        sleep(CALL_LIMIT.toNanos());
        throw noAnswer();
      }
      sleep(there + back);
      return answer.get();
    }

    private boolean chance(double probability) {
      return chaos && random.nextDouble() < probability;
    }

    private long latency() {
      return chance(0.02) ? between(0, 25) : Duration.ofMillis(1 + random.nextInt(40)).toNanos();
    }

    private static ApiStatusException noAnswer() {
      return new ApiStatusException(ApiStatusException.NO_ANSWER, "", "no answer", null, null);
    }

    @Override
    public long nanos() {
      return offset + (long) (now * rate);
    }

    @Override
    public Instant instant() {
      return Instant.ofEpochSecond(name.hashCode());
    }
  }

  /** The server's response, whether or not the caller still waits. */
  private static final class Answer<T> {
    private Optional<T> value = Optional.empty();
    private Optional<ApiStatusException> failure = Optional.empty();

    void take(Supplier<T> action) {
      try {
        value = Optional.of(action.get());
      } catch (ApiStatusException e) {
        failure = Optional.of(e);
      }
    }

    T get() {
      if (failure.isPresent()) {
        throw failure.get();
      }
      return value.orElseThrow();
    }
  }
}
