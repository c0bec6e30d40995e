// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.controllers;

import dev.coxswain.host.config.CoxswainConfiguration;
import dev.coxswain.host.health.Check;
import dev.coxswain.host.lifecycle.Member;
import dev.coxswain.host.metrics.HostMetrics;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.lease.LeaderElection;
import dev.coxswain.k8s.lease.LeaderListener;
import dev.coxswain.k8s.lease.LeaseOptions;
import dev.coxswain.time.Clock;
import io.vertx.core.Future;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Runs the controllers that only one replica runs: at once, or with leader election while this
 * replica leads. A lost Lease stops them and never ends the process.
 *
 * <p>Thread rule: any thread.
 */
public final class OwnedControllers implements Member {

  private final ControllerFleet fleet;
  private final @Nullable LeaderElection election;

  /** Set by the stop, read by the election's thread: whatever it wins then comes too late. */
  private volatile boolean stopping;

  /**
   * Prepares an election if one is wanted.
   *
   * @param kubernetes where the Lease is
   */
  public OwnedControllers(
      CoxswainConfiguration configuration,
      ControllerFleet fleet,
      Kubernetes kubernetes,
      HostMetrics metrics,
      Clock clock) {
    this.fleet = fleet;
    CoxswainConfiguration.LeaderElection wanted = configuration.leaderElection();
    if (!wanted.enabled()) {
      election = null;
      return;
    }
    LeaderElection created =
        new LeaderElection(
            kubernetes.transport(),
            wanted.namespace(),
            wanted.name(),
            // A process that starts again under the same name is another candidate.
            configuration.replicaName() + "_" + UUID.randomUUID(),
            new LeaseOptions(wanted.leaseDuration(), wanted.renewDeadline(), wanted.retryPeriod()),
            clock,
            new Follow());
    election = created;
    fleet.guardOwned(created.guard());
    fleet.ownedBy(() -> created.lastSeen().map(OwnedControllers::owner));
    metrics.leader(wanted.name(), created::isLeading);
  }

  @Override
  public String name() {
    return "controllers-owned";
  }

  /** Returns what a probe should know of the election; nothing without one. */
  public List<Check> checks() {
    LeaderElection running = election;
    if (running == null) {
      return List.of();
    }
    String problem = null;
    if (running.leader().isEmpty()) {
      problem = "nobody has been seen to lead yet";
    } else if (running.isLeading()
        && fleet.states().stream().anyMatch(state -> state.phase() == SlotPhase.STANDBY)) {
      problem = "leads, and has not started its controllers yet";
    }
    return List.of(Check.of("leader-election", problem));
  }

  @Override
  public Future<?> start() {
    if (election == null) {
      return fleet.lead(true);
    }
    election.start();
    return Future.succeededFuture();
  }

  @Override
  public Future<?> stop() {
    stopping = true;
    // The Lease is held until everything has drained, and given back only then.
    Future<Void> drained = fleet.lead(false);
    LeaderElection running = election;
    return running == null ? drained : drained.eventually(running::stop);
  }

  /** The identity is the name of the replica and a number of this process. */
  private static ControllerFleet.Owner owner(LeaderElection.HolderSeen seen) {
    int end = seen.holder().lastIndexOf('_');
    return new ControllerFleet.Owner(
        end < 0 ? seen.holder() : seen.holder().substring(0, end), seen.at(), seen.current());
  }

  /** The election tells what happens in the log. */
  private final class Follow implements LeaderListener {
    @Override
    public void onStartedLeading() {
      if (!stopping) {
        fleet.lead(true).await();
      }
    }

    @Override
    public void onStoppedLeading() {
      fleet.lead(false).await();
    }
  }
}
