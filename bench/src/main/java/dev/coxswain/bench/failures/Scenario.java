// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures;

import dev.coxswain.bench.failures.cluster.Budget;
import dev.coxswain.bench.failures.cluster.Replica;
import dev.coxswain.bench.failures.cluster.Waits;
import dev.coxswain.bench.failures.network.Network;
import dev.coxswain.bench.failures.network.SteppedClock;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** A fault of the replicas. */
enum Scenario {
  HEALTHY("nothing happens for 30 s") {
    @Override
    void run(Cluster cluster) throws IOException {
      Waits.pass(Duration.ofSeconds(30));
    }
  },
  KILL_OWNER("kill -9 of the entry's owner") {
    @Override
    void run(Cluster cluster) throws IOException {
      Replica owner = cluster.owner();
      cluster.kill(owner);
      Waits.pass(Duration.ofSeconds(10));
      cluster.start(owner.index());
      cluster.awaitReady();
    }
  },
  STOP_OWNER("graceful stop of the owner") {
    @Override
    void run(Cluster cluster) throws IOException {
      Replica owner = cluster.owner();
      cluster.stop(owner);
      Waits.pass(Duration.ofSeconds(10));
      cluster.start(owner.index());
      cluster.awaitReady();
    }
  },
  KILL_OWNER_AND_BACKUP("owner and backup killed together") {
    @Override
    void run(Cluster cluster) throws IOException {
      Replica owner = cluster.owner();
      Replica backup = cluster.backup();
      cluster.kill(owner);
      cluster.kill(backup);
      Waits.pass(Duration.ofSeconds(20));
      cluster.start(owner.index(), backup.index());
      cluster.awaitReady();
    }
  },
  KILL_TWO_THEN_LOWER(
      "owner and backup killed together, all well again, then lowered three times") {
    @Override
    void run(Cluster cluster) throws IOException {
      Budget base = cluster.setup().budget();
      // Overrides before the loss: a replica that goes on has seen more of them than the next
      // entry.
      for (double part : new double[] {0.8, 0.6, 0.7}) {
        cluster.override(new Budget(base.rate() * part, base.burst()));
      }
      cluster.clearOverride();
      KILL_OWNER_AND_BACKUP.run(cluster);
      if (!cluster.awaitHealthy()) {
        throw new IOException("not well after the restart");
      }
      for (double part : new double[] {0.2, 0.1, 0.05}) {
        cluster.override(new Budget(base.rate() * part, Math.max(2, (int) (base.burst() * part))));
        Waits.pass(Duration.ofSeconds(15));
      }
      cluster.clearOverride();
    }
  },
  LOWER_AND_RAISE("lowered and raised eight times in a row, without any failure") {
    @Override
    void run(Cluster cluster) throws IOException {
      Budget base = cluster.setup().budget();
      for (double part : new double[] {0.1, 1, 0.05, 0.5, 0.1, 0.8, 0.05, 0.2}) {
        cluster.override(new Budget(base.rate() * part, Math.max(2, (int) (base.burst() * part))));
        Waits.pass(Duration.ofSeconds(5));
      }
      cluster.clearOverride();
    }
  },
  FREEZE_5("freeze of the owner for 5 s, less than its Lease lasts") {
    @Override
    void run(Cluster cluster) throws IOException {
      cluster.freeze(cluster.owner(), Duration.ofSeconds(5));
    }
  },
  FREEZE_25("freeze of the owner for 25 s") {
    @Override
    void run(Cluster cluster) throws IOException {
      cluster.freeze(cluster.owner(), Duration.ofSeconds(25));
    }
  },
  FREEZE_80("freeze of the owner for 80 s") {
    @Override
    void run(Cluster cluster) throws IOException {
      cluster.freeze(cluster.owner(), Duration.ofSeconds(80));
    }
  },
  CUT_35("cut of 35 s between the owner and the rest") {
    @Override
    void run(Cluster cluster) throws IOException {
      cut(cluster, List.of(cluster.owner()), false);
    }
  },
  CUT_35_AND_API("the same, the owner cut off from the API server too") {
    @Override
    void run(Cluster cluster) throws IOException {
      cut(cluster, List.of(cluster.owner()), true);
    }
  },
  SPLIT_35("split into single replicas for 35 s") {
    @Override
    void run(Cluster cluster) throws IOException {
      cut(cluster, cluster.replicas(), false);
    }
  },
  CUT_PAIR_60("cut of 60 s between two replicas that both reach the owner") {
    @Override
    void run(Cluster cluster) throws IOException {
      List<Replica> others = cluster.others(cluster.owner());
      cluster.tell("cut " + others.get(0).name() + " and " + others.get(1).name());
      cluster.network().cutPair(others.get(0).index(), others.get(1).index());
      Waits.pass(Duration.ofSeconds(60));
      cluster.tell("heal");
      cluster.network().heal();
    }
  },
  ROLLING_RESTART("rolling restart of all") {
    @Override
    void run(Cluster cluster) throws IOException {
      restart(cluster, false);
    }
  },
  CLOCK_STEP("clock of the owner stepped 60 s forth and back, then another's") {
    @Override
    void run(Cluster cluster) throws IOException {
      restart(cluster, true);
      Replica owner = cluster.owner();
      for (Replica replica : List.of(owner, cluster.others(owner).getFirst())) {
        for (int seconds : new int[] {60, 0}) {
          cluster.tell("clock of " + replica.name() + " at " + seconds + " s");
          cluster.clock(replica).step(seconds);
          Waits.pass(Duration.ofSeconds(20));
        }
      }
    }
  },
  SCALE("3 replicas, then 5, then 2, then 3") {
    @Override
    void run(Cluster cluster) throws IOException {
      cluster.start(3, 4);
      cluster.awaitReady();
      Waits.pass(Duration.ofSeconds(20));
      List<Replica> all = cluster.replicas();
      for (Replica replica : all.subList(2, all.size()).reversed()) {
        cluster.stop(replica);
      }
      Waits.pass(Duration.ofSeconds(20));
      cluster.start(2);
      cluster.awaitReady();
    }
  };

  private final String what;

  Scenario(String what) {
    this.what = what;
  }

  /** Returns a description for display. */
  String what() {
    return what;
  }

  /** Returns its name on the command line. */
  String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Finds a scenario by its name on the command line.
   *
   * @throws IllegalArgumentException with all names when there is none
   */
  static Scenario of(String key) {
    return Arrays.stream(values())
        .filter(scenario -> scenario.key().equals(key))
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "unknown scenario \""
                    + key
                    + "\" (known: "
                    + Arrays.stream(values()).map(Scenario::key).toList()
                    + ")"));
  }

  /** Returns why it cannot be run here, or an empty text. */
  String impossible(Network network) {
    return switch (this) {
      case CUT_35, CUT_35_AND_API, SPLIT_35, CUT_PAIR_60 ->
          network.canCut() ? "" : "needs network namespaces, which are not allowed here";
      case CLOCK_STEP ->
          SteppedClock.possible() ? "" : "needs libfaketime (Debian package libfaketime)";
      default -> "";
    };
  }

  /** Causes the fault; ends with three running replicas that need not be well yet. */
  abstract void run(Cluster cluster) throws IOException;

  private static void cut(Cluster cluster, List<Replica> replicas, boolean control)
      throws IOException {
    for (Replica replica : replicas) {
      cluster.tell("cut " + replica.name() + (control ? " and its API server" : ""));
      cluster.network().cut(replica.index());
      if (control) {
        cluster.network().cutControl(replica.index());
      }
    }
    Waits.pass(Duration.ofSeconds(35));
    cluster.tell("heal");
    cluster.network().heal();
  }

  private static void restart(Cluster cluster, boolean clocks) throws IOException {
    for (Replica replica : new ArrayList<>(cluster.replicas())) {
      cluster.stop(replica);
      if (clocks) {
        cluster.prepareClock(replica.index());
      }
      cluster.start(replica.index());
      cluster.awaitReady();
      Waits.pass(Duration.ofSeconds(5));
    }
  }
}
