// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.controllers;

import dev.coxswain.host.config.CoxswainConfiguration;
import dev.coxswain.host.lifecycle.Component;
import dev.coxswain.host.metrics.HostMetrics;
import dev.coxswain.host.probes.Check;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.lease.LeaderElection;
import dev.coxswain.k8s.lease.LeaderListener;
import dev.coxswain.k8s.lease.LeaseOptions;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import java.util.List;
import java.util.UUID;

/**
 * Runs the controllers that only one replica runs while this replica holds the Lease. A lost Lease
 * stops them and never ends the process; without a usable Lease none of them runs.
 *
 * <p>Thread rule: any thread.
 */
public final class OwnedControllers implements Component {

  private final ControllerManager manager;
  private final LeaderElection election;

  /** Set by the stop, read by the election's thread: a Lease that it acquires later is not used. */
  private volatile boolean stopping;

  /**
   * Creates the election, which is not started.
   *
   * @param kubernetes the API server of the Lease
   */
  public OwnedControllers(
      CoxswainConfiguration configuration,
      ControllerManager manager,
      Kubernetes kubernetes,
      HostMetrics metrics,
      Clock clock) {
    this.manager = manager;
    CoxswainConfiguration.LeaderElection wanted = configuration.leaderElection();
    election =
        new LeaderElection(
            kubernetes.transport(),
            wanted.namespace(),
            wanted.name(),
            // A restarted process with the same name is another candidate.
            configuration.replicaName() + "_" + UUID.randomUUID(),
            new LeaseOptions(wanted.leaseDuration(), wanted.renewDeadline(), wanted.retryPeriod()),
            clock,
            new Follow());
    manager.guardOwned(election::term);
    manager.ownedBy(() -> election.lastSeen().map(OwnedControllers::owner));
    metrics.leader(wanted.name(), election::isLeading);
  }

  @Override
  public String name() {
    return "controllers-owned";
  }

  /**
   * Returns the check of the election. It decides the probe until a leader is known, if a
   * controller depends on it; later, an unreachable Lease is only shown.
   */
  public List<Check> checks() {
    boolean standby =
        manager.states().stream().anyMatch(state -> state.phase() == ControllerPhase.STANDBY);
    String problem = election.problem();
    if (election.leader().isEmpty()) {
      return List.of(
          new Check(
              "leader-election", problem.isEmpty() ? "no leader observed yet" : problem, standby));
    }
    if (election.isLeading() && standby) {
      return List.of(Check.of("leader-election", "leader, controllers not started yet"));
    }
    return List.of(Check.shown("leader-election", problem.isEmpty() ? null : problem));
  }

  @Override
  public Future<?> start() {
    election.start();
    return Future.succeededFuture();
  }

  @Override
  public Future<?> stop() {
    stopping = true;
    // The Lease is held until all controllers have drained, and released then.
    return manager.lead(false).eventually(election::stop);
  }

  /** The identity is the name of the replica and a number of this process. */
  private static ControllerManager.Owner owner(LeaderElection.ObservedHolder seen) {
    int end = seen.holder().lastIndexOf('_');
    return new ControllerManager.Owner(
        end < 0 ? seen.holder() : seen.holder().substring(0, end), seen.at(), seen.current());
  }

  /** The election logs its changes itself. */
  private final class Follow implements LeaderListener {
    @Override
    public void onStartedLeading() {
      if (!stopping) {
        manager.lead(true).await();
      }
    }

    @Override
    public void onProblem(String problem) {
      manager.leaseProblem(problem).await();
    }

    @Override
    public void onStoppedLeading() {
      manager.lead(false).await();
    }
  }
}
