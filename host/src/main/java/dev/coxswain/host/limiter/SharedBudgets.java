// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.limiter;

import dev.coxswain.admin.spi.LimiterOverrides;
import dev.coxswain.host.config.CoxswainConfiguration;
import dev.coxswain.host.config.SharedLimiter;
import dev.coxswain.host.lifecycle.Component;
import dev.coxswain.host.metrics.HostMetrics;
import dev.coxswain.host.probes.Check;
import dev.coxswain.internal.loop.ClassNames;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.lease.LeaseOptions;
import dev.coxswain.k8s.membership.MembershipOptions;
import dev.coxswain.k8s.membership.ReplicaLeaseStatus;
import dev.coxswain.k8s.membership.ReplicaLeases;
import dev.coxswain.limiter.LimiterStatus;
import dev.coxswain.limiter.MemberOptions;
import dev.coxswain.limiter.member.LimiterMember;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The budgets that this replica shares with the others: takes a seat, starts the Hazelcast member,
 * and gives both up at the end.
 *
 * <p>The member starts in the background, and when it cannot, that is reported and the replica runs
 * on the floor of its seat: neither makes the host fail.
 *
 * <p>Thread rule: any thread; nothing blocks.
 */
public final class SharedBudgets implements Component {

  private static final Logger LOG = LoggerFactory.getLogger(SharedBudgets.class);

  /** Under which name the others find the address of the admin API. */
  public static final String ADMIN = "admin";

  /** Under which name they find the Hazelcast member. */
  static final String MEMBER = "limiter-member";

  private final ReplicaLeases seats;
  private final LimiterMember member;
  private final RetryBudgets budgets;
  private final SharedOverrides overrides;
  private volatile @Nullable String failure;

  /**
   * Puts them together; nothing runs yet.
   *
   * @param configuration one with {@code sharedLimiter.enabled}
   * @param kubernetes where the Leases are
   */
  public SharedBudgets(
      CoxswainConfiguration configuration,
      Vertx vertx,
      Kubernetes kubernetes,
      HostMetrics metrics,
      Clock clock) {
    SharedLimiter shared = configuration.sharedLimiter();
    MemberOptions options = configuration.memberOptions().withClusterSecret(shared.secret());
    seats =
        new ReplicaLeases(
            kubernetes.transport(),
            new MembershipOptions(
                shared.namespace(),
                shared.name(),
                shared.maxReplicas(),
                configuration.replicaName(),
                options.generationName(),
                new LeaseOptions(
                    shared.leaseDuration(), shared.renewDeadline(), shared.renewPeriod())),
            clock,
            this::mayBeOverridden);
    member =
        LimiterMember.create(
            vertx,
            options,
            new SeatedReplicaView(seats, options.generationName()),
            this::memberJoined);
    budgets = RetryBudgets.of(configuration, (name, limiter) -> member.budget(limiter.spec(name)));
    overrides = new SharedOverrides(member, configuration.limiters());
    metrics.sharedLimiter(member::status, seats::status);
  }

  @Override
  public String name() {
    return "shared-limiter";
  }

  /** Returns the budgets; they can be used before the start, and start no retry then. */
  public RetryBudgets budgets() {
    return budgets;
  }

  /** Returns how they are set for a while. */
  public LimiterOverrides overrides() {
    return overrides;
  }

  /** Tells the other replicas where this one is reached. */
  public void announce(String what, String where) {
    seats.announce(what, where);
  }

  /** Returns who sits where. */
  public ReplicaLeaseStatus seats() {
    return seats.status();
  }

  /** Returns what a probe should show; none of it makes a replica unready. */
  public List<Check> checks() {
    List<Check> checks = new ArrayList<>();
    ReplicaLeaseStatus seat = seats.status();
    checks.add(Check.shown("seat", problem(seat)));
    String problem = failure;
    checks.add(
        Check.shown("shared-limiter", problem == null ? degraded(member.status()) : problem));
    return checks;
  }

  private static @Nullable String problem(ReplicaLeaseStatus seat) {
    if (seat.problem().isEmpty()) {
      return null;
    }
    return seat.problem()
        + (seat.acting()
            ? "; this replica uses only the floor of its seat"
            : "; this replica starts no retries");
  }

  private static @Nullable String degraded(LimiterStatus status) {
    List<String> problems = new ArrayList<>();
    for (LimiterStatus.Limiter limiter : status.limiters()) {
      String why = limiter.degraded();
      if (why != null) {
        problems.add(limiter.name() + ": " + why);
      }
    }
    return problems.isEmpty() ? null : String.join("; ", problems);
  }

  @Override
  public Future<?> start() {
    seats.start();
    member
        .start()
        .onFailure(cause -> {
          if (member.status().state() == LimiterStatus.State.RUNNING) {
            return; // it came just after the limit
          }
          failure =
              "the Hazelcast member does not run yet, only the floor of the seat is used: "
                  + describe(cause);
          LOG.atError()
              .setCause(cause)
              .log("shared limiter member not running, using the floor of this replica");
        });
    return Future.succeededFuture();
  }

  /** Shown in the Lease, which is written after the start only. */
  private boolean mayBeOverridden() {
    return member.mayBeOverridden();
  }

  /** From now on the others count it, wherever it listens this time. */
  private void memberJoined(String address) {
    seats.announce(MEMBER, address);
    failure = null;
  }

  private static String describe(Throwable cause) {
    String message = cause.getMessage();
    return message == null
        ? ClassNames.simple(cause.getClass())
        : message.lines().findFirst().orElse("");
  }

  /** The seat is given up last: until then nobody else may start what this replica still might. */
  @Override
  public Future<?> stop() {
    return member.stop().eventually(seats::stop);
  }
}
