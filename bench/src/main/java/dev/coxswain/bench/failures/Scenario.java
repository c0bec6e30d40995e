// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures;

import dev.coxswain.testing.host.Replica;
import dev.coxswain.testing.network.Network;
import dev.coxswain.testing.network.SteppedClock;
import dev.coxswain.testing.process.Waits;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** A fault of the replicas; ends with three running replicas that need not be well yet. */
enum Scenario {
  HEALTHY("nothing happens for 30 s", _ -> Waits.pass(Duration.ofSeconds(30))),
  KILL_OWNER(
      "kill -9 of the entry's owner",
      cluster -> {
        Replica owner = cluster.owner();
        cluster.kill(owner);
        cluster.restart(Duration.ofSeconds(10), owner.index());
      }),
  STOP_OWNER(
      "graceful stop of the owner",
      cluster -> {
        Replica owner = cluster.owner();
        cluster.stop(owner);
        cluster.restart(Duration.ofSeconds(10), owner.index());
      }),
  KILL_OWNER_AND_BACKUP("owner and backup killed together", Scenario::killOwnerAndBackup),
  KILL_TWO_THEN_LOWER(
      "owner and backup killed together, all well again, then lowered three times",
      cluster -> {
        // Overrides before the loss: a replica that goes on has seen more of them than the next
        // entry.
        for (double part : new double[] {0.8, 0.6, 0.7}) {
          cluster.override(part, 1);
        }
        cluster.clearOverride();
        killOwnerAndBackup(cluster);
        if (!cluster.awaitHealthy()) {
          throw new IOException("not well after the restart");
        }
        override(cluster, Duration.ofSeconds(15), 0.2, 0.1, 0.05);
      }),
  LOWER_AND_RAISE(
      "lowered and raised eight times in a row, without any failure",
      cluster -> override(cluster, Duration.ofSeconds(5), 0.1, 1, 0.05, 0.5, 0.1, 0.8, 0.05, 0.2)),
  FREEZE_5(
      "freeze of the owner for 5 s, less than its Lease lasts",
      cluster -> cluster.freeze(cluster.owner(), Duration.ofSeconds(5))),
  FREEZE_25(
      "freeze of the owner for 25 s",
      cluster -> cluster.freeze(cluster.owner(), Duration.ofSeconds(25))),
  FREEZE_80(
      "freeze of the owner for 80 s",
      cluster -> cluster.freeze(cluster.owner(), Duration.ofSeconds(80))),
  CUT_35(
      "cut of 35 s between the owner and the rest",
      cluster -> cut(cluster, List.of(cluster.owner()), false)),
  CUT_35_AND_API(
      "the same, the owner cut off from the API server too",
      cluster -> cut(cluster, List.of(cluster.owner()), true)),
  SPLIT_35(
      "split into single replicas for 35 s", cluster -> cut(cluster, cluster.replicas(), false)),
  CUT_PAIR_60(
      "cut of 60 s between two replicas that both reach the owner",
      cluster -> {
        List<Replica> others = cluster.others(cluster.owner());
        cluster.tell("cut " + others.get(0).name() + " and " + others.get(1).name());
        cluster.network().cutPair(others.get(0).index(), others.get(1).index());
        heal(cluster, Duration.ofSeconds(60));
      }),
  ROLLING_RESTART("rolling restart of all", cluster -> restart(cluster, false)),
  CLOCK_STEP(
      "clock of the owner stepped 60 s forth and back, then another's",
      cluster -> {
        restart(cluster, true);
        Replica owner = cluster.owner();
        for (Replica replica : List.of(owner, cluster.others(owner).getFirst())) {
          for (int seconds : new int[] {60, 0}) {
            cluster.tell("clock of " + replica.name() + " at " + seconds + " s");
            cluster.clock(replica).step(seconds);
            Waits.pass(Duration.ofSeconds(20));
          }
        }
      }),
  SCALE(
      "3 replicas, then 5, then 2, then 3",
      cluster -> {
        cluster.restart(Duration.ZERO, 3, 4);
        Waits.pass(Duration.ofSeconds(20));
        List<Replica> all = cluster.replicas();
        for (Replica replica : all.subList(2, all.size()).reversed()) {
          cluster.stop(replica);
        }
        cluster.restart(Duration.ofSeconds(20), 2);
      });

  private interface Fault {
    void cause(Cluster cluster) throws IOException;
  }

  private final String what;

  @SuppressWarnings("ImmutableEnumChecker") // a function without state
  private final Fault fault;

  Scenario(String what, Fault fault) {
    this.what = what;
    this.fault = fault;
  }

  /** Returns a description for display. */
  String what() {
    return what;
  }

  /** Causes the fault. */
  void run(Cluster cluster) throws IOException {
    fault.cause(cluster);
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

  private static void killOwnerAndBackup(Cluster cluster) throws IOException {
    Replica owner = cluster.owner();
    Replica backup = cluster.backup();
    cluster.kill(owner);
    cluster.kill(backup);
    cluster.restart(Duration.ofSeconds(20), owner.index(), backup.index());
  }

  private static void override(Cluster cluster, Duration each, double... parts) throws IOException {
    for (double part : parts) {
      cluster.override(part, part);
      Waits.pass(each);
    }
    cluster.clearOverride();
  }

  private static void cut(Cluster cluster, List<Replica> replicas, boolean control)
      throws IOException {
    for (Replica replica : replicas) {
      cluster.tell("cut " + replica.name() + (control ? " and its API server" : ""));
      cluster.network().cut(replica.index());
      if (control) {
        cluster.network().cutControl(replica.index());
      }
    }
    heal(cluster, Duration.ofSeconds(35));
  }

  private static void heal(Cluster cluster, Duration after) throws IOException {
    Waits.pass(after);
    cluster.tell("heal");
    cluster.network().heal();
  }

  private static void restart(Cluster cluster, boolean clocks) throws IOException {
    for (Replica replica : cluster.replicas()) {
      cluster.stop(replica);
      if (clocks) {
        cluster.prepareClock(replica.index());
      }
      cluster.restart(Duration.ZERO, replica.index());
      Waits.pass(Duration.ofSeconds(5));
    }
  }
}
