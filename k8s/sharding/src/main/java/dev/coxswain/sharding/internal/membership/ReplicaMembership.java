// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.client.WriteGuard;
import dev.coxswain.sharding.internal.slot.SlotTimes;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * The membership of this replica: its Lease among those of all replicas, what it publishes there,
 * and how long it may act.
 *
 * <p>Thread rule: any thread; nothing blocks.
 */
public final class ReplicaMembership {

  /** The key of the address of the admin API in the replica Lease. */
  public static final String ADMIN = "admin";

  /** The time that must be left to start an attempt. */
  public static final Duration START_MARGIN = Duration.ofSeconds(1);

  private static final Duration SHORTEST_GAP = Duration.ofSeconds(2);

  private final Membership settings;
  private final ReplicaLeases leases;
  private final Clock clock;

  // Computed once: Duration divides with decimal numbers of any size.
  private final SlotTimes slotTimes;
  private final Duration requestLife;

  /** Whether a limiter may be overridden, which a replica Lease contains. */
  private volatile BooleanSupplier overridden;

  /**
   * Creates the membership; nothing runs yet.
   *
   * @param settings the settings
   * @param replica the name of this replica
   * @param generation the generation of the shared limiter, or any text without one
   * @param kubernetes the API server of the Leases
   */
  public ReplicaMembership(
      Membership settings, String replica, String generation, Kubernetes kubernetes, Clock clock) {
    this.settings = settings;
    this.clock = clock;
    requestLife = settings.requestLife();
    slotTimes =
        new SlotTimes(
            settings.leaseDuration().toNanos(),
            settings.grace().toNanos(),
            requestLife.toNanos(),
            START_MARGIN.toNanos(),
            WriteGuard.LEAST.toNanos());
    leases =
        new ReplicaLeases(
            KubernetesRuntime.of(kubernetes).transport(),
            new MembershipOptions(
                settings.namespace(),
                settings.leasePrefix(),
                settings.maxReplicas(),
                replica,
                generation,
                settings.leaseOptions()),
            clock,
            this::mayBeOverridden);
    overridden = leases::overrideSeen;
  }

  /**
   * Publishes the address of the admin API, which may begin to listen before or after this has
   * started: at once if the Lease is held, and otherwise with the Lease.
   */
  public void announceAdmin(String address) {
    leases.announce(ADMIN, address);
    leases.wake();
  }

  /** Returns the settings. */
  public Membership settings() {
    return settings;
  }

  /** Returns the replica Leases, for the shared limiter. */
  public ReplicaLeases leases() {
    return leases;
  }

  /** Returns the status, for display. */
  public ReplicaLeaseStatus status() {
    return leases.status();
  }

  /** Sets whether limiters may be overridden, as the Lease shows from the next renewal on. */
  public void overriddenBy(BooleanSupplier mayBe) {
    overridden = mayBe;
  }

  private boolean mayBeOverridden() {
    return overridden.getAsBoolean();
  }

  /** Returns the times of ownership, in nanoseconds. */
  public SlotTimes slotTimes() {
    return slotTimes;
  }

  /** Returns the longest time from the start of a write to its effect on the server. */
  public Duration requestLife() {
    return requestLife;
  }

  /** Returns the longest time without a list after which earlier observations still count. */
  public Duration listGap() {
    Duration renewal = settings.renewPeriod();
    Duration period = leases.listPeriod().compareTo(renewal) > 0 ? leases.listPeriod() : renewal;
    Duration two = period.plus(period);
    return two.compareTo(SHORTEST_GAP) > 0 ? two : SHORTEST_GAP;
  }

  /** Returns the name of this replica. */
  public String replica() {
    return ReplicaLeaseStatus.replica(leases.own().identity());
  }

  /** Returns how long this replica may act under an identity; zero when it may not, or not now. */
  public Duration timeLeft(String identity) {
    ReplicaLeases.OwnLease own = leases.own();
    if (!own.held() || !own.identity().equals(identity)) {
      return Duration.ZERO;
    }
    return Duration.ofNanos(Math.max(0, own.writeDeadline() - clock.nanos()));
  }

  /** Returns a guard for writes in the name of the present identity of this replica. */
  public WriteGuard guard() {
    return new WriteGuard() {
      @Override
      public Duration timeLeft() {
        Duration left = ReplicaMembership.this.timeLeft(leases.own().identity());
        return left.compareTo(requestLife) < 0 ? left : requestLife;
      }

      @Override
      public String reason() {
        String problem = problem();
        return problem.isEmpty() ? tooLate() : problem;
      }
    };
  }

  /** Returns why a replica that still acts does not begin a write. */
  private static String tooLate() {
    return "its Lease was not renewed in time, and lets it write for less than "
        + WriteGuard.LEAST.toMillis()
        + " ms";
  }

  /** Returns why this replica may not act; empty when it may. */
  public String problem() {
    ReplicaLeaseStatus status = leases.status();
    return status.acting() ? "" : status.problem();
  }

  /** Begins to acquire and renew the Lease. */
  public Future<Void> start() {
    leases.start();
    return Future.succeededFuture();
  }

  /** Releases the Lease. Until then no other replica may act in the place of this one. */
  public Future<Void> stop() {
    return leases.stop();
  }
}
