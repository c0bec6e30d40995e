// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import dev.coxswain.testing.host.Replica;
import dev.coxswain.testing.network.Network;
import dev.coxswain.testing.network.TcpRelay;
import dev.coxswain.testing.process.Waits;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** What is done to the replicas; each ends with as many of them as at the begin. */
enum OwnershipScenario {
  HEALTHY(
      "nothing happens for 20 s",
      Expectation.NOTHING_MOVES,
      (_, _) -> Waits.pass(Duration.ofSeconds(20))),
  KILL("kill -9", Expectation.TAKEOVER, OwnershipScenario::killAndRestart),
  FREEZE(
      "SIGSTOP in the middle of attempts for two Leases, then SIGCONT",
      Expectation.TAKEOVER,
      (cluster, victim) -> {
        freezeInAttempt(cluster, victim);
        pass(cluster, 2);
        thaw(cluster, victim);
      }),
  CUT_API(
      "connections to the API server reset for two Leases",
      Expectation.TAKEOVER,
      (cluster, victim) -> relay(cluster, victim, TcpRelay.Mode.CUT)),
  HOLD_API(
      "bytes to and from the API server held back for two Leases, then delivered",
      Expectation.TAKEOVER,
      (cluster, victim) -> relay(cluster, victim, TcpRelay.Mode.HELD)),
  SLOW_API(
      "bytes to and from the API server delayed by 30 ms for 20 s",
      Expectation.GAP,
      (cluster, victim) -> {
        cluster.tell("slow: the API server of " + victim.name());
        cluster.relay(victim).delay(Duration.ofMillis(30));
        Waits.pass(Duration.ofSeconds(20));
        cluster.tell("heal");
        cluster.relay(victim).delay(Duration.ZERO);
      }),
  FIRST_HAND_OVER(
      "one replica without changes is drained, then gets its slots back, by code not yet compiled",
      Expectation.IDLE_AND_COLD,
      OwnershipScenario::drainAndUndo),
  HAND_OVER(
      "one replica without changes is drained, then gets its slots back",
      Expectation.IDLE,
      OwnershipScenario::drainAndUndo),
  CUT_REPLICAS(
      "cut between one replica and the others for two Leases",
      Expectation.GAP,
      (cluster, victim) -> {
        cluster.tell("cut " + victim.name() + " from the other replicas");
        cluster.network().cut(victim.index());
        pass(cluster, 2);
        cluster.tell("heal");
        cluster.network().heal();
      }),
  ROLLING_RESTART(
      "rolling restart of all",
      Expectation.GAP,
      (cluster, _) -> {
        for (Replica replica : cluster.replicas()) {
          restart(cluster, replica);
          Waits.pass(Duration.ofSeconds(3));
        }
      }),
  SCALE(
      "two replicas more, then two less",
      Expectation.GAP,
      (cluster, _) -> {
        int n = cluster.replicas().size();
        cluster.restart(Duration.ZERO, n, n + 1);
        Waits.pass(Duration.ofSeconds(20));
        for (Replica replica : cluster.replicas().subList(n, n + 2).reversed()) {
          cluster.stop(replica);
        }
        Waits.pass(Duration.ofSeconds(5));
      }),
  API_RESTART(
      "restart of the API server", Expectation.NOTHING_MOVES, (cluster, _) -> outage(cluster, 0)),
  API_OUTAGE(
      "outage of the API server for three Leases",
      Expectation.NOTHING_MOVES,
      (cluster, _) -> outage(cluster, 3)),
  KILL_AND_FREEZE(
      "kill -9 of one and SIGSTOP of another for longer than a Lease, then one stops and starts",
      Expectation.TAKEOVER,
      (cluster, victim) -> {
        Replica frozen = cluster.others(victim).getFirst();
        freezeInAttempt(cluster, frozen);
        cluster.kill(victim);
        Waits.pass(cluster.plan().lease().plusSeconds(3));
        thaw(cluster, frozen);
        cluster.restart(Duration.ZERO, victim.index());
        restart(cluster, cluster.replicas().getLast());
      }),
  RETRIES(
      "a tenth of the objects fails, and two replicas are killed",
      Expectation.TAKEOVER,
      (cluster, victim) -> {
        for (Replica replica : List.of(victim, cluster.others(victim).getFirst())) {
          killAndRestart(cluster, replica);
          Waits.pass(Duration.ofSeconds(5));
        }
      });

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

  private interface Fault {
    void cause(OwnershipCluster cluster, Replica victim) throws IOException;
  }

  /** The longest time until a replica that may have slots again has the first. */
  private static final Duration SHARE_LIMIT = Duration.ofSeconds(60);

  private final String what;
  private final Expectation expectation;

  @SuppressWarnings("ImmutableEnumChecker") // a function without state
  private final Fault fault;

  OwnershipScenario(String what, Expectation expectation, Fault fault) {
    this.what = what;
    this.expectation = expectation;
    this.fault = fault;
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
  void run(OwnershipCluster cluster, Replica victim) throws IOException {
    fault.cause(cluster, victim);
  }

  private static void pass(OwnershipCluster cluster, int leases) throws IOException {
    Waits.pass(cluster.plan().lease().multipliedBy(leases));
  }

  private static void killAndRestart(OwnershipCluster cluster, Replica replica) throws IOException {
    cluster.kill(replica);
    cluster.restart(cluster.plan().lease().plusSeconds(5), replica.index());
  }

  private static void restart(OwnershipCluster cluster, Replica replica) throws IOException {
    cluster.stop(replica);
    cluster.restart(Duration.ZERO, replica.index());
  }

  private static void drainAndUndo(OwnershipCluster cluster, Replica victim) throws IOException {
    cluster.drain(victim);
    Waits.until(SHARE_LIMIT, () -> cluster.openSlots(victim) > 0);
    Waits.pass(Duration.ofSeconds(10));
  }

  private static void relay(OwnershipCluster cluster, Replica victim, TcpRelay.Mode mode)
      throws IOException {
    cluster.tell(mode + ": the API server of " + victim.name());
    cluster.relay(victim).mode(mode);
    pass(cluster, 2);
    cluster.tell("heal");
    cluster.relay(victim).mode(TcpRelay.Mode.OPEN);
  }

  private static void outage(OwnershipCluster cluster, int leases) throws IOException {
    cluster.outage(cluster.plan().lease().multipliedBy(leases));
    pass(cluster, 1);
  }

  /** Freezes a replica while it runs attempts; after many trials also when that was not met. */
  private static void freezeInAttempt(OwnershipCluster cluster, Replica victim) throws IOException {
    for (int i = 0; i < 40; i++) {
      victim.freeze();
      long running =
          cluster.attempts().stream()
              .filter(one -> one.process().equals(victim.processName()))
              .filter(one -> one.end() == Attempt.RUNNING)
              .count();
      if (running > 0) {
        cluster.tell("frozen in the middle of " + running + " attempts");
        return;
      }
      victim.thaw();
      Waits.pass(Duration.ofMillis(7));
    }
    victim.freeze();
  }

  private static void thaw(OwnershipCluster cluster, Replica replica) throws IOException {
    cluster.tell("thaw " + replica.name());
    replica.thaw();
  }
}
