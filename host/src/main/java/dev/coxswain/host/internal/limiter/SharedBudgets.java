// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.limiter;

import dev.coxswain.admin.spi.LimiterOverrides;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Limiter;
import dev.coxswain.host.internal.config.SharedLimiter;
import dev.coxswain.host.internal.lifecycle.Component;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.host.internal.probes.Check;
import dev.coxswain.internal.loop.ClassNames;
import dev.coxswain.limiter.internal.LimiterStatus;
import dev.coxswain.limiter.internal.MemberOptions;
import dev.coxswain.limiter.internal.OverrideFailedException;
import dev.coxswain.limiter.internal.member.LimiterMember;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.sharding.internal.membership.ReplicaLeaseStatus;
import dev.coxswain.sharding.internal.membership.ReplicaLeases;
import dev.coxswain.sharding.internal.membership.ReplicaMembership;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The retry budgets that replicas share: starts the Hazelcast member, and stops it at the end. The
 * membership releases the replica Lease after that: until then no other replica may use its floor.
 *
 * <p>The member starts in the background. If it cannot start, this is reported and the replica uses
 * its floor; the host does not fail.
 *
 * <p>Thread rule: any thread; nothing blocks.
 */
public final class SharedBudgets implements Component {

  private static final Logger LOG = LoggerFactory.getLogger(SharedBudgets.class);

  /** The key of the address of the Hazelcast member in the replica Lease. */
  static final String MEMBER = "limiter-member";

  private final ReplicaLeases leases;
  private final LimiterMember member;
  private final RetryBudgets budgets;
  private final SharedOverrides overrides;
  private volatile @Nullable String failure;

  /**
   * Creates the budgets; nothing runs yet.
   *
   * @param configuration one with {@code sharedLimiter.enabled}
   * @param membership the replica Leases, which start before this and stop after it
   */
  public SharedBudgets(
      CoxswainConfiguration configuration,
      Vertx vertx,
      ReplicaMembership membership,
      HostMetrics metrics) {
    SharedLimiter shared = configuration.sharedLimiter();
    MemberOptions options = configuration.memberOptions().withClusterSecret(shared.secret());
    leases = membership.leases();
    membership.overriddenBy(this::mayBeOverridden);
    member =
        LimiterMember.create(
            vertx,
            options,
            new LeaseReplicaView(leases, options.generationName(), options.shape()),
            this::memberJoined);
    budgets = RetryBudgets.of(configuration, new SharedKind(member));
    overrides = new SharedOverrides(member, budgets::limits);
    metrics.limiters().shared(member::status);
  }

  private record SharedKind(LimiterMember member) implements RetryBudgets.Kind {
    @Override
    public RetryBudget create(String name, Limiter limits) {
      return member.budget(limits.spec(name));
    }

    @Override
    public void check(RetryBudget budget, Limiter limits) {
      member.check(limits.spec(budget.name()));
    }

    @Override
    public void change(RetryBudget budget, Limiter limits) {
      member.change(limits.spec(budget.name()));
    }
  }

  /** Returns the limiters of which other replicas may still have the limits before a change. */
  public List<String> settling() {
    return budgets.all().keySet().stream().filter(member::isSettling).toList();
  }

  @Override
  public String name() {
    return "shared-limiter";
  }

  /** Returns the budgets; before the start they grant no tokens. */
  public RetryBudgets budgets() {
    return budgets;
  }

  /** Returns the overrides of limiters. */
  public LimiterOverrides overrides() {
    return overrides;
  }

  /** Returns the checks of the readiness probe; none makes the replica unready. */
  public List<Check> checks() {
    List<Check> checks = new ArrayList<>();
    checks.add(Check.shown("replica-lease", problem(leases.status())));
    String problem = failure;
    checks.add(
        Check.shown("shared-limiter", problem == null ? degraded(member.status()) : problem));
    return checks;
  }

  private static @Nullable String problem(ReplicaLeaseStatus status) {
    if (status.problem().isEmpty()) {
      return null;
    }
    return status.problem()
        + (status.acting()
            ? "; this replica uses only its floor"
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
    member
        .start()
        .onFailure(cause -> {
          if (member.status().state() == LimiterStatus.State.RUNNING) {
            return; // joined just after the limit
          }
          failure =
              "the Hazelcast member does not run yet, only the floor is used: " + describe(cause);
          LOG.atError()
              .setCause(cause)
              .log("shared limiter member not running, using only the floor");
        });
    return Future.succeededFuture();
  }

  /** Returns whether the limiters may be overridden, as published in the Lease. */
  private boolean mayBeOverridden() {
    return member.mayBeOverridden();
  }

  /** Publishes the address of the member, which can differ after each start. */
  private void memberJoined(String address) {
    leases.announce(MEMBER, address);
    failure = null;
  }

  private static String describe(Throwable cause) {
    String message = cause.getMessage();
    return message == null
        ? ClassNames.simple(cause.getClass())
        : message.lines().findFirst().orElse("");
  }

  @Override
  public Future<?> stop() {
    return member.stop();
  }

  /**
   * Overrides of shared limiters for the admin API.
   *
   * @param configured the configured limiters, by name
   */
  private record SharedOverrides(LimiterMember member, Supplier<Map<String, Limiter>> configured)
      implements LimiterOverrides {

    @Override
    public Future<Void> set(
        String limiter, @Nullable Double rate, @Nullable Integer burst, Duration ttl) {
      Limiter base = configured.get().get(limiter);
      if (base == null) {
        return Future.failedFuture(
            new IllegalArgumentException("limiters." + limiter + ": no such limiter"));
      }
      return explained(
          member.override(
              limiter,
              rate == null ? base.rate() : rate,
              burst == null ? base.burst() : burst,
              ttl));
    }

    @Override
    public boolean raises(String limiter, @Nullable Double rate, @Nullable Integer burst) {
      Limiter base = configured.get().get(limiter);
      return base != null
          && ((rate != null && rate > base.rate()) || (burst != null && burst > base.burst()));
    }

    @Override
    public Future<Void> clear(String limiter) {
      return explained(member.clearOverride(limiter));
    }

    private static Future<Void> explained(Future<Void> change) {
      return change.recover(failure ->
          Future.failedFuture(
              failure instanceof OverrideFailedException failed && failed.nothingChanged()
                  ? new NoQuorumException(String.valueOf(failed.getMessage()))
                  : failure));
    }
  }
}
