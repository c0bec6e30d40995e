// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import dev.coxswain.bench.failures.cluster.Replica;
import dev.coxswain.bench.failures.cluster.Waits;
import dev.coxswain.bench.failures.network.Network;
import dev.coxswain.bench.failures.network.TcpRelay;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What is done to the replicas; each ends with as many of them as at the begin. */
enum OwnershipScenario {
  HEALTHY("nothing happens for 20 s", Expectation.NOTHING_MOVES) {
    @Override
    void run(OwnershipCluster cluster, Replica victim) throws IOException {
      Waits.pass(Duration.ofSeconds(20));
    }
  },
  KILL("kill -9", Expectation.TAKEOVER) {
    @Override
    void run(OwnershipCluster cluster, Replica victim) throws IOException {
      cluster.kill(victim);
      Waits.pass(cluster.plan().lease().plusSeconds(5));
      cluster.start(victim.index());
      cluster.awaitReady();
    }
  },
  FREEZE("SIGSTOP in the middle of attempts for two Leases, then SIGCONT", Expectation.TAKEOVER) {
    @Override
    void run(OwnershipCluster cluster, Replica victim) throws IOException {
      int running = freezeInAttempt(cluster, victim);
      cluster.tell("frozen in the middle of " + running + " attempts");
      Waits.pass(cluster.plan().lease().multipliedBy(2));
      cluster.tell("thaw " + victim.name());
      victim.thaw();
    }
  },
  CUT_API("connections to the API server reset for two Leases", Expectation.TAKEOVER) {
    @Override
    void run(OwnershipCluster cluster, Replica victim) throws IOException {
      relay(cluster, victim, TcpRelay.Mode.CUT);
    }
  },
  HOLD_API(
      "bytes to and from the API server held back for two Leases, then delivered",
      Expectation.TAKEOVER) {
    @Override
    void run(OwnershipCluster cluster, Replica victim) throws IOException {
      relay(cluster, victim, TcpRelay.Mode.HELD);
    }
  },
  SLOW_API("bytes to and from the API server delayed by 30 ms for 20 s", Expectation.GAP) {
    @Override
    void run(OwnershipCluster cluster, Replica victim) throws IOException {
      cluster.tell("slow: the API server of " + victim.name());
      cluster.relay(victim).delay(Duration.ofMillis(30));
      Waits.pass(Duration.ofSeconds(20));
      cluster.tell("heal");
      cluster.relay(victim).delay(Duration.ZERO);
    }
  },
  FIRST_HAND_OVER(
      "one replica without changes is drained, then gets its slots back, by code not yet compiled",
      Expectation.IDLE_AND_COLD) {
    @Override
    void run(OwnershipCluster cluster, Replica victim) throws IOException {
      drainAndUndo(cluster, victim);
    }
  },
  HAND_OVER("one replica without changes is drained, then gets its slots back", Expectation.IDLE) {
    @Override
    void run(OwnershipCluster cluster, Replica victim) throws IOException {
      drainAndUndo(cluster, victim);
    }
  },
  CUT_REPLICAS("cut between one replica and the others for two Leases", Expectation.GAP) {
    @Override
    void run(OwnershipCluster cluster, Replica victim) throws IOException {
      cluster.tell("cut " + victim.name() + " from the other replicas");
      cluster.network().cut(victim.index());
      Waits.pass(cluster.plan().lease().multipliedBy(2));
      cluster.tell("heal");
      cluster.network().heal();
    }
  },
  ROLLING_RESTART("rolling restart of all", Expectation.GAP) {
    @Override
    void run(OwnershipCluster cluster, Replica victim) throws IOException {
      for (Replica replica : cluster.replicas()) {
        cluster.stop(replica);
        cluster.start(replica.index());
        cluster.awaitReady();
        Waits.pass(Duration.ofSeconds(3));
      }
    }
  },
  SCALE("two replicas more, then two less", Expectation.GAP) {
    @Override
    void run(OwnershipCluster cluster, Replica victim) throws IOException {
      int n = cluster.replicas().size();
      cluster.start(n, n + 1);
      cluster.awaitReady();
      Waits.pass(Duration.ofSeconds(20));
      List<Replica> all = cluster.replicas();
      for (Replica replica : all.subList(n, n + 2).reversed()) {
        cluster.stop(replica);
      }
      Waits.pass(Duration.ofSeconds(5));
    }
  },
  API_RESTART("restart of the API server", Expectation.NOTHING_MOVES) {
    @Override
    void run(OwnershipCluster cluster, Replica victim) throws IOException {
      outage(cluster, Duration.ZERO);
    }
  },
  API_OUTAGE("outage of the API server for three Leases", Expectation.NOTHING_MOVES) {
    @Override
    void run(OwnershipCluster cluster, Replica victim) throws IOException {
      outage(cluster, cluster.plan().lease().multipliedBy(3));
    }
  },
  KILL_AND_FREEZE(
      "kill -9 of one and SIGSTOP of another for longer than a Lease, then one stops and starts",
      Expectation.TAKEOVER) {
    @Override
    void run(OwnershipCluster cluster, Replica victim) throws IOException {
      Replica frozen = cluster.others(victim).getFirst();
      freezeInAttempt(cluster, frozen);
      cluster.kill(victim);
      Waits.pass(cluster.plan().lease().plusSeconds(3));
      cluster.tell("thaw " + frozen.name());
      frozen.thaw();
      cluster.start(victim.index());
      cluster.awaitReady();
      Replica last = cluster.replicas().getLast();
      cluster.stop(last);
      cluster.start(last.index());
      cluster.awaitReady();
    }
  },
  RETRIES("a tenth of the objects fails, and two replicas are killed", Expectation.TAKEOVER) {
    @Override
    void run(OwnershipCluster cluster, Replica victim) throws IOException {
      for (Replica replica : List.of(victim, cluster.others(victim).getFirst())) {
        cluster.kill(replica);
        Waits.pass(cluster.plan().lease().plusSeconds(5));
        cluster.start(replica.index());
        cluster.awaitReady();
        Waits.pass(Duration.ofSeconds(5));
      }
    }
  };

  /** What is judged besides overlaps, stale writes, lost generations and the cap. */
  enum Expectation {
    /** The keys of the victim are taken over within a Lease and a bit. */
    TAKEOVER,
    /** No change waits longer than in a planned move. */
    GAP,
    /** Nothing changes meanwhile, and each slot is without an owner for a short time only. */
    IDLE,
    /** The same in processes that have done this never or seldom: their times are only reported. */
    IDLE_AND_COLD,
    /** No key changes its owner and no replica Lease its holder. */
    NOTHING_MOVES
  }

  /** The longest time until a replica that may have slots again has the first. */
  private static final Duration SHARE_LIMIT = Duration.ofSeconds(60);

  private final String what;
  private final Expectation expectation;

  OwnershipScenario(String what, Expectation expectation) {
    this.what = what;
    this.expectation = expectation;
  }

  /** Returns what it does, for people. */
  String what() {
    return what;
  }

  Expectation expectation() {
    return expectation;
  }

  /** Returns how many replicas fail at once. */
  int failed() {
    return this == KILL_AND_FREEZE ? 2 : 1;
  }

  /** Returns whether no object changes meanwhile. */
  boolean isIdle() {
    return expectation == Expectation.IDLE || expectation == Expectation.IDLE_AND_COLD;
  }

  /** Returns its name on the command line. */
  String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Finds scenarios by their names on the command line.
   *
   * @param keys names with commas between, or {@code all}
   * @throws IllegalArgumentException with all names when there is no such scenario
   */
  static List<OwnershipScenario> of(String keys) {
    if (keys.equals("all")) {
      return List.of(values());
    }
    List<String> known = Arrays.stream(values()).map(OwnershipScenario::key).toList();
    return Arrays.stream(keys.split(",", -1))
        .map(key -> {
          if (!known.contains(key)) {
            throw new IllegalArgumentException(
                "unknown scenario \"" + key + "\" (known: " + known + ")");
          }
          return values()[known.indexOf(key)];
        })
        .toList();
  }

  /** Returns why it cannot be run here, or an empty text. */
  String impossible(Network network) {
    return this == CUT_REPLICAS && !network.canCut()
        ? "needs --network=namespaces, since replicas announce their own addresses"
        : "";
  }

  /**
   * Does it.
   *
   * @param victim the replica that has most of the work
   */
  abstract void run(OwnershipCluster cluster, Replica victim) throws IOException;

  private static void drainAndUndo(OwnershipCluster cluster, Replica victim) throws IOException {
    cluster.drain(victim);
    Waits.until(SHARE_LIMIT, () -> cluster.openSlots(victim) > 0);
    Waits.pass(Duration.ofSeconds(10));
  }

  private static void relay(OwnershipCluster cluster, Replica victim, TcpRelay.Mode mode)
      throws IOException {
    cluster.tell(mode + ": the API server of " + victim.name());
    cluster.relay(victim).mode(mode);
    Waits.pass(cluster.plan().lease().multipliedBy(2));
    cluster.tell("heal");
    cluster.relay(victim).mode(TcpRelay.Mode.OPEN);
  }

  private static void outage(OwnershipCluster cluster, Duration time) throws IOException {
    cluster.tell("stop the API server");
    cluster.controlPlane().stop();
    Waits.pass(time);
    cluster.tell("start the API server");
    cluster.controlPlane().restart();
    Waits.pass(cluster.plan().lease());
  }

  /** Freezes a replica while it runs attempts and returns how many, 0 when that was not met. */
  private static int freezeInAttempt(OwnershipCluster cluster, Replica victim) throws IOException {
    for (int i = 0; i < 40; i++) {
      victim.freeze();
      long running =
          cluster.attempts().stream()
              .filter(one -> one.process().equals(victim.processName()))
              .filter(one -> one.end() == Attempt.RUNNING)
              .count();
      if (running > 0) {
        return (int) running;
      }
      victim.thaw();
      Waits.pass(Duration.ofMillis(7));
    }
    victim.freeze();
    return 0;
  }
}
