// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.member;

import dev.coxswain.limiter.internal.BudgetSplit;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.LimiterStatus;
import dev.coxswain.limiter.internal.MemberOptions;
import dev.coxswain.limiter.internal.OverrideFailedException;
import dev.coxswain.limiter.internal.RateOverride;
import dev.coxswain.limiter.internal.ReplicaView;
import dev.coxswain.limiter.internal.bucket.PoolReply;
import dev.coxswain.limiter.internal.budget.PoolFailure;
import dev.coxswain.limiter.internal.budget.SharedRetryBudget;
import dev.coxswain.limiter.internal.hazelcast.MemberConfig;
import dev.coxswain.limiter.internal.hazelcast.PoolMember;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shared limiter of one replica: an embedded Hazelcast member, and the budgets whose pools are
 * stored in the cluster of members.
 *
 * <p>Budgets can be created and used before {@link #start} and when it fails: they use their floors
 * then, and their status shows it.
 *
 * <p>Thread rule: any thread. No method blocks; futures complete on a Vert.x context or, when the
 * caller has none, on a thread of Vert.x.
 */
public final class LimiterMember {
  private static final Logger log = LoggerFactory.getLogger(LimiterMember.class);

  /** The longest duration of an override. */
  public static final Duration MAX_OVERRIDE = Duration.ofHours(24);

  /**
   * The time after which each replica has read a changed configuration: a mounted ConfigMap reaches
   * all pods within about a minute and a half.
   */
  public static final Duration SETTLE_TIME = Duration.ofMinutes(2);

  /** More than the time limit of a call of the Hazelcast member, with its retries. */
  private static final Duration CHANGE_LIMIT = Duration.ofSeconds(30);

  private final Vertx vertx;
  private final MemberOptions options;
  private final ReplicaView view;
  private final Clock clock = Clock.system();
  private final MemberThreads threads = new MemberThreads();
  private final Map<String, SharedRetryBudget> budgets = new ConcurrentSkipListMap<>();
  private final ReportExchange reports;
  private final MemberSupervisor supervisor;

  private LimiterMember(
      Vertx vertx, MemberOptions options, ReplicaView view, Consumer<String> joined) {
    this.vertx = Objects.requireNonNull(vertx, "vertx");
    this.options = Objects.requireNonNull(options, "options");
    this.view = Objects.requireNonNull(view, "view");
    this.reports = new ReportExchange(options.replica(), clock);
    this.supervisor =
        new MemberSupervisor(options, view, clock, Objects.requireNonNull(joined, "joined"));
  }

  /**
   * Creates a member; {@link #start} starts it.
   *
   * @param vertx the Vert.x instance on which futures complete
   * @param options the options of the member
   * @param view the state of the other replicas
   * @param joined receives the address of the member after each join, on a thread of the member;
   *     must not block
   */
  public static LimiterMember create(
      Vertx vertx, MemberOptions options, ReplicaView view, Consumer<String> joined) {
    return new LimiterMember(vertx, options, view, joined);
  }

  /**
   * Returns the budget of a limiter; the same instance for the same specification.
   *
   * @throws IllegalArgumentException naming the key, when the burst is too small for the rate or
   *     the limiter exists with another specification
   */
  public RetryBudget budget(LimiterSpec spec) {
    SharedRetryBudget budget =
        budgets.computeIfAbsent(
            spec.name(),
            name ->
                new SharedRetryBudget(
                    spec,
                    options.shape(),
                    view,
                    clock,
                    this::apply,
                    threads.calls,
                    options.viewAge().toNanos()));
    if (!budget.spec().equals(spec)) {
      throw new IllegalArgumentException(
          "limiters." + spec.name() + ": defined already as " + budget.spec());
    }
    return budget;
  }

  /**
   * Checks a changed specification of a limiter.
   *
   * @throws IllegalArgumentException naming the key, when the burst is too small for the rate, or
   *     the override in force does not fit
   */
  public void check(LimiterSpec spec) {
    options.check(spec);
    known(spec.name()).check(spec);
  }

  /**
   * Changes the specification of a limiter on this replica. The others change theirs on their own.
   * For {@link #SETTLE_TIME} the larger limits hold: the pool gives permits by the larger rate and
   * burst, and this replica uses the smaller floor. An override in force stays.
   *
   * @throws IllegalArgumentException as {@link #check} does; nothing has changed then
   */
  public void change(LimiterSpec spec) {
    options.check(spec);
    known(spec.name()).change(spec, SETTLE_TIME.toNanos());
  }

  /** Returns whether the last change of a limiter is less than {@link #SETTLE_TIME} ago. */
  public boolean isSettling(String limiter) {
    return known(limiter).isSettling();
  }

  /**
   * Starts the member, joins the cluster and makes the first calls, so that no event loop waits for
   * them. The future fails when the start fails or exceeds its time limit. The start is then
   * retried without end, and the budgets use their floors meanwhile. A member that was disconnected
   * or frozen for long is replaced by a new one. Can be called once.
   */
  public Future<Void> start() {
    Promise<Void> started = Promise.promise();
    long limit = options.startTimeout().toMillis();
    long timer =
        vertx.setTimer(
            limit,
            id ->
                started.tryFail(
                    new TimeoutException(
                        "the Hazelcast member did not start in " + limit + " ms and is retried")));
    supervisor
        .start()
        .onComplete(done -> threads.everySecond(this::pollAndReport))
        .onSuccess(done -> started.tryComplete())
        .onFailure(e -> {
          if (!started.tryFail(e)) { // the future has already failed with the time-out
            log.atError().setCause(e).log("shared limiter member failed to start, retrying");
          }
        });
    return started.future().onComplete(done -> vertx.cancelTimer(timer));
  }

  private CompletionStage<byte[]> apply(String limiter, byte[] request) {
    PoolMember running = supervisor.member();
    return running == null
        ? CompletableFuture.failedFuture(
            new PoolFailure.NotRunning(
                "the Hazelcast member is "
                    + supervisor.state().name().toLowerCase(java.util.Locale.ROOT)))
        : running.apply(limiter, request);
  }

  private void pollAndReport() {
    try {
      budgets.values().forEach(SharedRetryBudget::poll);
      PoolMember running = supervisor.member();
      if (running != null) {
        reports.exchange(running.reports(), List.copyOf(budgets.values()));
      }
    } catch (RuntimeException e) { // retried after a second
      log.atDebug()
          .addKeyValue("error", e.toString())
          .log("exchange of limiter reports failed, retrying");
    }
  }

  /**
   * Sets another rate and burst on all replicas for a limited time. It replaces an earlier
   * override.
   *
   * @param limiter the name of the limiter
   * @param rate retries per second, no more than the ceiling
   * @param burst the burst, no more than the ceiling
   * @param duration for how long, up to 24 hours
   * @return completes when the pool has stored it; fails with an {@link IllegalArgumentException}
   *     that names the key, when nothing was changed, or with an {@link OverrideFailedException}
   */
  public Future<Void> override(String limiter, double rate, int burst, Duration duration) {
    try {
      SharedRetryBudget budget = known(limiter);
      LimiterSpec spec = budget.spec();
      LimiterSpec.checkRate(limiter, rate);
      LimiterSpec.checkBurst(limiter, burst);
      ceiling(limiter, "rate", rate, "maxRate", spec.maxRate());
      ceiling(limiter, "burst", burst, "maxBurst", spec.maxBurst());
      if (duration.isNegative() || duration.isZero() || duration.compareTo(MAX_OVERRIDE) > 0) {
        throw new IllegalArgumentException(
            LimiterSpec.key(limiter, "duration")
                + ": expected a positive duration up to 24 hours, found "
                + duration);
      }
      RateOverride set = new RateOverride(0, rate, burst, duration.toNanos());
      BudgetSplit.of(spec, set, options.shape()); // throws when the burst is too small
      return change(budget, set);
    } catch (IllegalArgumentException e) {
      return Future.failedFuture(e);
    }
  }

  /** Ends an override early; the future is that of {@link #override}. */
  public Future<Void> clearOverride(String limiter) {
    try {
      SharedRetryBudget budget = known(limiter);
      LimiterSpec spec = budget.spec();
      return change(budget, new RateOverride(0, spec.rate(), spec.burst(), 0));
    } catch (IllegalArgumentException e) {
      return Future.failedFuture(e);
    }
  }

  /**
   * Returns whether an override may be in force: the last reply of the pool contained one, or there
   * was no reply yet and {@link ReplicaView#overrideSeen} is true. The result is to be published to
   * the other replicas: a replica without a reply from the pool may use its floor only while no
   * replica publishes true. Cheap, never blocks.
   */
  public boolean mayBeOverridden() {
    return budgets.values().stream().anyMatch(SharedRetryBudget::mayBeOverridden);
  }

  /**
   * Returns whether this process sent the last reply for a limiter, which its pool's owner does.
   */
  boolean ownsPool(String limiter) {
    PoolMember running = supervisor.member();
    return running != null && known(limiter).isOwnedBy(running.owner());
  }

  private SharedRetryBudget known(String limiter) {
    SharedRetryBudget budget = budgets.get(limiter);
    if (budget == null) {
      throw new IllegalArgumentException(
          "limiters." + limiter + ": there is no such limiter; limiters are " + budgets.keySet());
    }
    return budget;
  }

  private static void ceiling(
      String limiter, String field, double value, String ceilingField, double ceiling) {
    if (value > ceiling) {
      throw new IllegalArgumentException(
          LimiterSpec.key(limiter, field)
              + ": "
              + value
              + " is beyond the ceiling, "
              + LimiterSpec.key(limiter, ceilingField)
              + " = "
              + ceiling
              + "; set "
              + LimiterSpec.key(limiter, ceilingField)
              + " on all replicas to allow more");
    }
  }

  private Future<Void> change(SharedRetryBudget budget, RateOverride set) {
    if (!view.poolAllowed()) {
      return Future.failedFuture(unchanged(budget, view.poolProblem(), true));
    }
    CompletableFuture<Void> changed = new CompletableFuture<>();
    try {
      threads.calls.execute(() -> {
        try {
          send(budget, set, changed);
        } catch (RuntimeException e) {
          changed.completeExceptionally(unchanged(budget, e.toString(), false));
        }
      });
    } catch (RejectedExecutionException e) {
      changed.completeExceptionally(unchanged(budget, "the member is stopped", true));
    }
    // The changes of a limiter are made one after another, so each must end.
    long timer =
        vertx.setTimer(
            CHANGE_LIMIT.toMillis(),
            _ ->
                changed.completeExceptionally(
                    unchanged(
                        budget, "no reply within " + CHANGE_LIMIT.toSeconds() + " s", false)));
    return Future.fromCompletionStage(changed, vertx.getOrCreateContext())
        .onComplete(_ -> vertx.cancelTimer(timer));
  }

  private void send(SharedRetryBudget budget, RateOverride set, CompletableFuture<Void> changed) {
    byte[] request = budget.request(0, set).encode();
    long sentAt = clock.nanos();
    apply(budget.name(), request)
        .whenComplete((bytes, e) -> {
          PoolReply reply = bytes == null ? null : PoolReply.decode(bytes);
          if (reply != null && reply.status() == PoolReply.Status.DONE) {
            budget.onOverrideReply(reply, sentAt);
            changed.complete(null);
          } else {
            changed.completeExceptionally(
                unchanged(budget, PoolFailure.describe(reply, e), PoolFailure.isRefusal(reply, e)));
          }
        });
  }

  private static OverrideFailedException unchanged(
      SharedRetryBudget budget, String why, boolean certain) {
    return new OverrideFailedException(
        "limiter \""
            + budget.name()
            + (certain ? "\" was not changed: " : "\" may or may not have been changed: ")
            + why,
        certain);
  }

  /** Returns the current status. */
  public LimiterStatus status() {
    PoolMember running = supervisor.member();
    List<LimiterStatus.Limiter> limiters = new ArrayList<>();
    budgets.values().forEach(budget -> limiters.add(budget.status()));
    return new LimiterStatus(
        options.replica(),
        supervisor.state(),
        running == null ? 0 : running.owner().members(),
        MemberConfig.majority(view.liveReplicas()),
        running == null ? null : running.address(),
        running == null ? Set.of() : running.owner().recently(false),
        running == null ? Set.of() : running.owner().recently(true),
        limiters);
  }

  /**
   * Hands over the data of this member and leaves the cluster, within the time limit of the
   * options. The budgets continue with their floors. The future never fails.
   */
  public Future<Void> stop() {
    PoolMember running = supervisor.stop();
    Promise<Void> stopped = Promise.promise();
    vertx
        .executeBlocking(
            () -> {
              if (running != null) {
                running.shutdown();
              }
              threads.stop();
              return true;
            },
            false)
        .onFailure(e ->
            log.atWarn()
                .addKeyValue("error", e.toString())
                .log("shared limiter member did not shut down cleanly"))
        .onComplete(done -> stopped.complete());
    return stopped.future();
  }
}
