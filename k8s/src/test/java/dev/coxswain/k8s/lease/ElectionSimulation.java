// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.lease;

import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.internal.lease.LeaseRecord;
import dev.coxswain.k8s.internal.lease.LeaseStore;
import dev.coxswain.spi.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Processes that stand for one election, in virtual time. Each has its own clock; a process may be
 * frozen, and requests may be slow, lost, applied without an answer, or applied long after they
 * were given up. One thread runs at a time, so a seed determines the run.
 */
final class ElectionSimulation implements AutoCloseable {

  private static final long SECOND = 1_000_000_000L;
  private static final long CALL_TIMEOUT = 5 * SECOND;

  private record Wake(long at, long order, Runnable action) implements Comparable<Wake> {
    @Override
    public int compareTo(Wake other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }
  }

  private final SplittableRandom random;
  private final PriorityQueue<Wake> wakes = new PriorityQueue<>();
  private final Semaphore paused = new Semaphore(0);
  private final MemoryStore server = new MemoryStore();
  private final List<Candidate> candidates = new ArrayList<>();
  private final List<String> violations = new ArrayList<>();
  private long now;
  private long order;
  private boolean chaos;
  private boolean closed;

  ElectionSimulation(long seed, int count) {
    random = new SplittableRandom(seed);
    for (int i = 0; i < count; i++) {
      candidates.add(new Candidate("p" + i));
    }
  }

  /** The Lease, changed by compare-and-set. */
  private static final class MemoryStore {
    @Nullable LeaseRecord stored;
    long version;
    long handOvers;

    LeaseRecord apply(LeaseRecord lease) {
      LeaseRecord present = stored;
      String version = present == null ? "" : present.resourceVersion();
      if (!version.equals(lease.resourceVersion())) {
        throw new ApiStatusException(409, "Conflict", "another version", null, null);
      }
      if (present != null && !present.holder().equals(lease.holder())) {
        handOvers++;
      }
      var json = lease.json().deepCopy();
      json.getAsJsonObject("metadata").addProperty("resourceVersion", "" + ++this.version);
      LeaseRecord next = new LeaseRecord(json);
      stored = next;
      return next;
    }
  }

  private final class Candidate implements LeaseStore, Clock {
    private final String name;
    private final long offset = random.nextLong();
    private final double rate = 1 + (random.nextDouble() - 0.5) / 500;
    private final Elector elector;
    private long frozenUntil;

    Candidate(String name) {
      this.name = name;
      elector =
          new Elector(
              name,
              LeaseOptions.DEFAULT,
              this,
              LeaseRecord.unheld("ns", "lease"),
              this,
              random,
              new LeaderListener() {
                @Override
                public void onStartedLeading() {}

                @Override
                public void onStoppedLeading() {}
              });
      begin(name + " elect", this::elect);
      begin(name + " fence", this::fence);
    }

    private void elect() {
      while (!closed) {
        pause(elector.step().toNanos());
        if (chaos && random.nextInt(60) == 0) {
          elector.resign();
          elector.release();
          pause(random.nextLong(5 * SECOND));
        }
      }
    }

    private void fence() {
      while (!closed) {
        long left = elector.fence().toNanos();
        pause(left == 0 ? SECOND / 10 : Math.min(left, SECOND / 10));
      }
    }

    @Override
    public long nanos() {
      return offset + (long) (now * rate);
    }

    @Override
    public Instant instant() {
      // Wall clocks are stepped at every look.
      return Instant.EPOCH.plusSeconds(random.nextLong(1_000_000_000));
    }

    private void pause(long nanos) {
      park(nanos);
      if (chaos && random.nextInt(200) == 0) {
        frozenUntil = now + random.nextLong(30 * SECOND);
      }
      while (!closed && now < frozenUntil) {
        park(frozenUntil - now);
      }
    }

    private void request() {
      pause(chaos && random.nextInt(10) == 0 ? random.nextLong(4 * SECOND) : SECOND / 200);
      if (chaos && random.nextInt(15) == 0) {
        giveUp();
      }
    }

    private void answer() {
      pause(chaos && random.nextInt(10) == 0 ? random.nextLong(SECOND) : SECOND / 200);
      if (chaos && random.nextInt(10) == 0) {
        giveUp();
      }
    }

    private void giveUp() {
      pause(CALL_TIMEOUT);
      throw new ApiStatusException(0, "", "no answer", null, null);
    }

    @Override
    public Optional<LeaseRecord> get() {
      request();
      Optional<LeaseRecord> found = Optional.ofNullable(server.stored);
      answer();
      return found;
    }

    @Override
    public LeaseRecord create(LeaseRecord lease) {
      return update(lease);
    }

    @Override
    public LeaseRecord update(LeaseRecord lease) {
      request();
      if (chaos && random.nextInt(20) == 0) {
        // Still on the way when this side has given up.
        at(now + random.nextLong(2 * CALL_TIMEOUT), () -> applyLate(lease));
        giveUp();
      }
      LeaseRecord stored = server.apply(lease);
      answer();
      return stored;
    }
  }

  private void applyLate(LeaseRecord lease) {
    try {
      server.apply(lease);
    } catch (ApiStatusException e) {
      // The caller of this request is gone.
    }
  }

  private void at(long time, Runnable action) {
    wakes.add(new Wake(time, order++, action));
  }

  private void begin(String name, Runnable body) {
    Semaphore go = new Semaphore(0);
    Thread.ofVirtual()
        .name(name)
        .start(() -> {
          go.acquireUninterruptibly();
          try {
            body.run();
          } finally {
            paused.release();
          }
        });
    at(now, () -> resume(go));
  }

  /** Called by the thread that runs: gives way until its time has come. */
  private void park(long nanos) {
    if (closed) {
      return;
    }
    Semaphore go = new Semaphore(0);
    at(now + nanos, () -> resume(go));
    paused.release();
    go.acquireUninterruptibly();
  }

  private void resume(Semaphore go) {
    go.release();
    paused.acquireUninterruptibly();
  }

  /** Lets time pass, with or without faults. */
  void run(Duration time, boolean faults) {
    chaos = faults;
    long end = now + time.toNanos();
    while (!wakes.isEmpty() && wakes.peek().at <= end) {
      Wake next = wakes.remove();
      now = next.at;
      next.action.run();
      List<String> leaders = leaders();
      if (leaders.size() > 1) {
        violations.add("at " + Duration.ofNanos(now) + ": " + leaders);
      }
    }
    now = end;
  }

  /** Returns who leads now. */
  List<String> leaders() {
    return candidates.stream().filter(p -> p.elector.isLeading()).map(p -> p.name).toList();
  }

  /** Returns the moments when more than one led. */
  List<String> violations() {
    return violations;
  }

  /** Returns how often the Lease has changed hands. */
  long handOvers() {
    return server.handOvers;
  }

  @Override
  public void close() {
    chaos = false;
    closed = true;
    while (!wakes.isEmpty()) {
      wakes.remove().action.run();
    }
  }
}
