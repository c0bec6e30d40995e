// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.access.AccessHandler;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.admin.internal.http.Body;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.http.SerialExecutor;
import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.model.LimiterList;
import dev.coxswain.admin.internal.undo.LimitState;
import dev.coxswain.admin.internal.undo.Undo;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.admin.spi.LimiterOverrides;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.retry.RetryBudget;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The routes of limiters. Confined to the admin event loop. */
public final class Limiters {

  private static final Logger log = LoggerFactory.getLogger(Limiters.class);

  /** The actions of the two changes in audit records. */
  public static final String OVERRIDE = "override-limiter";

  public static final String CLEAR = "clear-limiter-override";

  private final ControllerDirectory directory;

  private final AccessHandler access;
  private final SerialExecutor turns = new SerialExecutor();

  public Limiters(ControllerDirectory directory, AccessHandler access) {
    this.directory = directory;
    this.access = access;
  }

  public Future<Response> list(RequestContext context) {
    context.query().done();
    return Future.succeededFuture(
        Response.ok(
            new LimiterList(
                directory.replica(),
                directory.limiters().stream()
                    .sorted(Comparator.comparing(BudgetSnapshot::name))
                    .map(ControllerView::limiter)
                    .toList())));
  }

  public Future<Response> get(RequestContext context) {
    context.query().done();
    return Future.succeededFuture(Response.ok(ControllerView.limiter(find(context))));
  }

  /** Sets an override; one beyond what is configured requires a right of its own. */
  public Future<Response> override(RequestContext context) {
    context.audit().action(OVERRIDE);
    context.query().done();
    BudgetSnapshot limiter = find(context);
    Body body = context.body();
    Undo undo = Undo.of(context, body);
    String reason = body.reason();
    Double rate = body.decimal("rate", RetryBudget.MIN_CONFIGURED_RATE, RetryBudget.MAX_RATE);
    Long burst = body.number("burst", 1, RetryBudget.MAX_BURST);
    if (!body.has("rate") && !body.has("burst")) {
      body.fault("rate", "or burst is required; only these can be changed here");
    }
    Duration ttl = ttl(body);
    body.done();
    Integer whole = burst == null ? null : burst.intValue();
    context.audit().reason(reason);
    Values values = new Values(rate, whole, ttl);
    context.audit().change(described(limiter, null, values));
    boolean raises =
        directory.overrides().filter(all -> all.raises(limiter.name(), rate, whole)).isPresent();
    Future<Void> permitted =
        raises
            ? access.permit(
                context.principal(),
                new AccessRequest(Verb.UPDATE, Access.LIMITERS, "", limiter.name()))
            : Future.succeededFuture();
    return permitted.compose(nothing ->
        changed(
            context,
            limiter.name(),
            undo,
            (overrides, before) ->
                isInForce(before, rate, whole)
                    ? Future.succeededFuture()
                    : overrides.set(limiter.name(), rate, whole, ttl),
            (before, now) -> {
              context.audit().change(described(before, now, values));
              return isInForce(before, rate, whole)
                  ? Effect.unless(true, "its rate and burst are these already, as configured")
                  : effect(before, now);
            }));
  }

  /** Returns whether values are in force without an override, on a replica that is not degraded. */
  private static boolean isInForce(
      BudgetSnapshot limiter, @Nullable Double rate, @Nullable Integer burst) {
    return limiter.overrideUntil() == null
        && limiter.degraded() == null
        && (rate == null || rate == limiter.rate())
        && (burst == null || burst == limiter.burst());
  }

  /** Returns the effect of an override: on rate and burst, or on its end alone. */
  private static Effect effect(BudgetSnapshot before, BudgetSnapshot now) {
    boolean longer =
        before.overrideUntil() != null
            && before.rate() == now.rate()
            && before.burst() == now.burst();
    return new Effect(
        true,
        longer
            ? "its rate and burst were these already; only the end of the override has changed"
            : null);
  }

  /** Returns the duration of an override; every override expires. */
  private static Duration ttl(Body body) {
    Duration ttl = body.duration("ttl");
    if (!body.has("ttl")) {
      body.fault("ttl", "is required: every override expires");
    }
    if (ttl != null && (ttl.isZero() || ttl.compareTo(LimiterOverrides.MAX_TTL) > 0)) {
      body.fault(
          "ttl",
          "must be greater than 0 and at most " + Durations.format(LimiterOverrides.MAX_TTL));
    }
    return ttl == null ? Duration.ZERO : ttl;
  }

  /** Describes a change; what is in force after it is known for its outcome. */
  private static String described(
      BudgetSnapshot before, @Nullable BudgetSnapshot after, Values set) {
    Duration ttl = set.ttl();
    boolean ends = ttl == null;
    return Json.text(
        new Change(
            ends || set.rate() != null ? before.rate() : null,
            set.rate(),
            ends || set.burst() != null ? before.burst() : null,
            set.burst(),
            ttl == null ? null : Durations.format(ttl),
            ends ? "ended" : null,
            LimitState.of(before),
            after == null ? null : LimitState.of(after)));
  }

  /**
   * What an override sets.
   *
   * @param ttl null for the end of an override
   */
  private record Values(@Nullable Double rate, @Nullable Integer burst, @Nullable Duration ttl) {
    static final Values NONE = new Values(null, null, null);
  }

  /** A change of a limiter, as audit records have it, with all that was in force before and after. */
  private record Change(
      @Nullable Double rateBefore,
      @Nullable Double rate,
      @Nullable Integer burstBefore,
      @Nullable Integer burst,
      @Nullable String ttl,
      @Nullable String override,
      LimitState limitBefore,
      @Nullable LimitState limit) {}

  /** Removes an override. */
  public Future<Response> clear(RequestContext context) {
    context.audit().action(CLEAR);
    context.query().done();
    BudgetSnapshot limiter = find(context);
    Body body = context.body();
    Undo undo = Undo.of(context, body);
    String reason = body.reason();
    body.done();
    context.audit().reason(reason);
    context.audit().change(described(limiter, null, Values.NONE));
    return changed(
        context,
        limiter.name(),
        undo,
        (overrides, before) -> overrides.clear(limiter.name()),
        (before, now) -> {
          context.audit().change(described(before, now, Values.NONE));
          return Effect.unless(before.overrideUntil() == null, "it has no override");
        });
  }

  /** Checks whether a limiter is as a change has left it; null when its state is to be restored. */
  private @Nullable Effect checked(RequestContext context, Undo undo) {
    Undo.Part part = undo.of(directory.replica()).orElse(undo.parts().getFirst());
    LimitState now = LimitState.of(find(context));
    LimitState expected = part.expectedAs(LimitState.class);
    if (expected == null || !expected.isNearly(now)) {
      throw Undo.superseded(now.words(), expected == null ? "another state" : expected.words());
    }
    LimitState restored = part.restoredAs(LimitState.class);
    return undo.dryRun() && restored != null
        ? Effect.preview(now.words() + " -> " + restored.words())
        : null;
  }

  private Future<Response> changed(
      RequestContext context,
      String limiter,
      @Nullable Undo undo,
      BiFunction<LimiterOverrides, BudgetSnapshot, Future<Void>> change,
      EffectFunction effect) {
    LimiterOverrides overrides =
        directory
            .overrides()
            .orElseThrow(() ->
                Problem.of(
                        409,
                        "limiter-not-shared",
                        "Limiter not shared",
                        "limiter \""
                            + limiter
                            + "\" is local to this replica; only shared limiters"
                            + " (sharedLimiter.enabled) can be overridden")
                    .rejection());
    return turns
        .ofLimiter(
            limiter,
            () -> {
              BudgetSnapshot before = find(context);
              Effect unmade = undo == null ? null : checked(context, undo);
              return unmade == null
                  ? context
                      .change(() -> change.apply(overrides, before))
                      .recover(failure -> Future.failedFuture(refused(context, failure)))
                      .map(_ -> effect.of(before, find(context)))
                  : Future.succeededFuture(unmade);
            })
        .map(done -> done.addTo(Response.ok(ControllerView.limiter(find(context)))));
  }

  /** Returns the effect of a change, from the limiter before and after it. */
  @FunctionalInterface
  private interface EffectFunction {
    Effect of(BudgetSnapshot before, BudgetSnapshot now);
  }

  private static Rejection refused(RequestContext context, Throwable failure) {
    return switch (failure) {
      case Rejection refused -> refused; // before the change, for example without an audit record
      case IllegalArgumentException forbidden ->
          Problem.of(
                  422,
                  "override-refused",
                  "Override refused",
                  forbidden.getMessage() + "; nothing was changed")
              .rejection();
      case LimiterOverrides.NoQuorumException none ->
          Problem.of(503, "no-quorum", "No quorum", none.getMessage() + "; nothing was changed")
              .with("Retry-After", "5")
              .rejection();
      default -> {
        log.atWarn()
            .addKeyValue("requestId", context.id())
            .setCause(failure)
            .log("the outcome of storing an override is unknown");
        yield Problem.unknown(
                "the limiter may have been changed; check before you change it again, with"
                    + " another Idempotency-Key")
            .rejection();
      }
    };
  }

  /** Returns whether this replica has the limiter in the path. */
  public boolean has(RequestContext context) {
    return named(context).isPresent();
  }

  private BudgetSnapshot find(RequestContext context) {
    return named(context)
        .orElseThrow(() ->
            Problem.of(
                    404,
                    "limiter-not-found",
                    "Limiter not found",
                    "no replica that answered has a limiter \""
                        + Json.line(context.param("l"), 64)
                        + "\"; GET /api/v1/limiters lists all limiters")
                .rejection());
  }

  private Optional<BudgetSnapshot> named(RequestContext context) {
    String name = context.param("l");
    return directory.limiters().stream()
        .filter(candidate -> candidate.name().equals(name))
        .findFirst();
  }
}
