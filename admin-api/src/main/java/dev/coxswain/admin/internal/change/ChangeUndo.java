// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.change;

import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.access.AccessHandler;
import dev.coxswain.admin.internal.change.ChangeHistory.Verdict;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.admin.internal.http.Body;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.model.ChangeResult;
import dev.coxswain.admin.internal.model.ChangedValue;
import dev.coxswain.admin.internal.model.ControllerResource;
import dev.coxswain.admin.internal.model.LimiterResource;
import dev.coxswain.admin.internal.resource.Effect;
import dev.coxswain.admin.internal.undo.Undo;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Undoes a change: finds it in the audit, and makes the change that restores what was before, by the
 * handler of that change. Confined to the admin event loop.
 *
 * <h2>Who decides</h2>
 *
 * The audit decides first, which can name a later change. Records can be missing, so the replica that
 * makes the change compares the state with the one that the undone change has left: stored pauses in the
 * write, the others in the turn of the change. So of two requests at once, one is refused.
 */
public final class ChangeUndo {

  public static final String PAUSE = UndoPlan.PAUSE;
  public static final String RESUME = UndoPlan.RESUME;
  public static final String SCALE = UndoPlan.SCALE;

  /** Requests to other replicas, one after another: they share the time of the request. */
  private static final int ROUNDS = 6;

  /** So many pages of the audit are searched for later changes. */
  private static final int MAX_PAGES = 10;

  private static final String DONE = "done";

  private static final Duration SKEW = Duration.ofSeconds(30);
  private static final Pattern REQUEST_ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  private final ClusterChanges changes;
  private final ControllerDirectory directory;
  private final AccessHandler access;
  private final Clock clock;
  private final Map<String, Endpoint.Handler> handlers;

  /**
   * Creates the handler.
   *
   * @param handlers the handlers of the changes that restore a state, by action
   */
  public ChangeUndo(
      ClusterChanges changes,
      ControllerDirectory directory,
      AccessHandler access,
      Clock clock,
      Map<String, Endpoint.Handler> handlers) {
    this.changes = changes;
    this.directory = directory;
    this.access = access;
    this.clock = clock;
    this.handlers = Map.copyOf(handlers);
  }

  /** A request for an undo. */
  private record Wanted(String requestId, String reason, boolean dryRun) {}

  public Future<Response> undo(RequestContext context) {
    context.audit().action("undo");
    context.query().done();
    String id = context.param("q");
    Body body = context.body();
    Wanted wanted = new Wanted(id, body.reason(), body.flag(Undo.DRY_RUN, false));
    body.done();
    context.audit().reason(wanted.reason());
    context.inRounds(ROUNDS, RequestContext.PEER_TIMEOUT_MILLIS);
    return mayRead(context)
        .compose(_ -> found(context, id))
        .compose(change -> planned(context, wanted, change));
  }

  /**
   * Permits to read the audit. A caller that may change nothing is refused for that: it is the right of
   * the route.
   */
  private Future<Void> mayRead(RequestContext context) {
    return permit(context, Verb.LIST, Access.AUDIT)
        .recover(refused -> mayChange(context).compose(_ -> Future.failedFuture(refused)));
  }

  private Future<Void> mayChange(RequestContext context) {
    return permit(context, Verb.PAUSE, Access.CONTROLLERS);
  }

  private Future<Void> permit(RequestContext context, Verb verb, String resource) {
    return access.permit(context.principal(), new AccessRequest(verb, resource, "", ""));
  }

  /** Finds the change of a request. */
  private Future<ChangeGroup> found(RequestContext context, String id) {
    if (!REQUEST_ID.matcher(id).matches()) {
      return mayChange(context).compose(_ -> Future.failedFuture(notFound(id)));
    }
    ChangeWalk walk = new ChangeWalk(ChangeToken.BEGIN, clock.instant());
    return changes
        .page(context, walk, "requestId=" + id + "&limit=500")
        .compose(_ -> {
          List<ChangeGroup> found =
              walk.fresh().stream().filter(one -> !one.result(clock.instant()).isEmpty()).toList();
          if (found.isEmpty()) {
            return mayChange(context).compose(_ -> Future.failedFuture(notFound(id)));
          }
          if (found.size() > 1 || !walk.hasEnded()) {
            throw Problem.of(
                    409,
                    "change-ambiguous",
                    "Several changes",
                    "several changes have the request id \""
                        + id
                        + "\", which the client has chosen; undo it with the action that restores"
                        + " what was before")
                .rejection();
          }
          return Future.succeededFuture(found.getFirst());
        });
  }

  private static Rejection notFound(String id) {
    return Problem.of(
            404,
            "change-not-found",
            "Change not found",
            "no audit record of a change has the request id \""
                + Json.line(id, 64)
                + "\"; GET /api/v1/changes lists the changes")
        .rejection();
  }

  private Future<Response> planned(RequestContext context, Wanted wanted, ChangeGroup change) {
    UndoParts values = change.states().orElse(null);
    if (values == null || change.isAmbiguous()) {
      ChangeHistory nothing = new ChangeHistory(Map.of(), Map.of(), clock.instant());
      Rejection refused = refused(nothing.add(change));
      return mayChange(context).compose(_ -> Future.failedFuture(refused));
    }
    UndoPlan plan =
        UndoPlan.of(
            change, values, directory.pauses().isPresent(), context.actor(), clock.instant());
    Future<Void> permitted = Future.succeededFuture();
    for (AccessRequest right : plan.rights()) {
      permitted = permitted.compose(_ -> access.permit(context.principal(), right));
    }
    return permitted
        .compose(_ -> verdict(context, change))
        .compose(verdict -> {
          if (!verdict.isPossible()) {
            throw refused(verdict);
          }
          return made(context, wanted, change, plan);
        });
  }

  private static Rejection refused(Verdict verdict) {
    String detail = verdict.text() + " Nothing was changed.";
    return (switch (verdict.kind()) {
          case UNDONE -> Problem.of(409, "change-undone", "Undone already", detail);
          case SUPERSEDED -> Problem.of(409, "change-superseded", "Changed since", detail);
          case AMBIGUOUS -> Problem.of(409, "change-ambiguous", "Several changes", detail);
          case NEVER, POSSIBLE ->
              Problem.of(409, "change-not-undoable", "Cannot be undone", detail);
        })
        .rejection();
  }

  /** Reads the changes since then, and returns whether they leave something to undo. */
  private Future<Verdict> verdict(RequestContext context, ChangeGroup change) {
    Instant since = change.oldest().minus(SKEW);
    String controller = change.controller();
    String query =
        "since="
            + since
            + (controller.isEmpty()
                ? ""
                : "&controller=" + URLEncoder.encode(controller, StandardCharsets.UTF_8))
            + "&limit=500";
    ChangeWalk walk = new ChangeWalk(ChangeToken.BEGIN, clock.instant());
    return since(context, walk, query, 1)
        .compose(_ -> changes.read(walk, () -> judged(walk, change)));
  }

  private Future<Void> since(RequestContext context, ChangeWalk walk, String query, int pages) {
    return changes
        .page(context, walk, query)
        .compose(_ ->
            walk.hasEnded() || pages >= MAX_PAGES
                ? Future.succeededFuture()
                : since(context, walk, query, pages + 1));
  }

  private Verdict judged(ChangeWalk walk, ChangeGroup change) {
    ChangeHistory history = new ChangeHistory(Map.of(), Map.of(), clock.instant());
    String wanted = change.hash();
    for (ChangeGroup group : walk.fresh()) {
      if (group.hash().equals(wanted)) {
        break;
      }
      history.add(group);
    }
    return history.add(change);
  }

  private Future<Response> made(
      RequestContext context, Wanted wanted, ChangeGroup change, UndoPlan plan) {
    context.audit().action(plan.action());
    context.audit().controller(change.controller());
    context.audit().limiter(change.limiter());
    context.audit().undoes(wanted.requestId());
    Endpoint.Handler handler = Objects.requireNonNull(handlers.get(plan.action()));
    if (wanted.dryRun()) {
      return sent(context, wanted, plan, handler, true)
          .map(response -> shown(context, wanted, change, plan, checked(response, change)));
    }
    // Where each replica has a state of its own, all of them are checked before the first is
    // changed.
    Future<UndoPlan> checked =
        plan.parts().size() > 1
            ? sent(context, wanted, plan, handler, true)
                .map(response -> plan.on(checked(response, change).changed()))
            : Future.succeededFuture(plan);
    return checked
        .compose(sure -> sent(context, wanted, sure, handler, false))
        .map(response -> shown(context, wanted, change, plan, made(response)));
  }

  private static Future<Response> sent(
      RequestContext context,
      Wanted wanted,
      UndoPlan plan,
      Endpoint.Handler handler,
      boolean dryRun) {
    context.target().reroute(plan.target(), "");
    context.rewrite(Body.of(plan.body(wanted.reason(), wanted.requestId(), dryRun)));
    return handler.handle(context);
  }

  /** Refuses an undo that one of the replicas cannot make. */
  private static Made checked(Response response, ChangeGroup change) {
    Made made = made(response);
    for (ChangeResult result : made.results()) {
      if (result.state().equals("failed")) { // one that does not answer makes the result partial
        throw Problem.of(
                409,
                "change-superseded",
                "Changed since",
                "replica \""
                    + Json.line(result.replica(), 64)
                    + "\" cannot undo the change of \""
                    + Json.line(change.actor(), 64)
                    + "\": "
                    + result.error())
            .rejection();
      }
    }
    return made;
  }

  /** What a change has answered. */
  private record Made(
      String result,
      @Nullable String detail,
      @Nullable String replica,
      boolean partial,
      List<ChangeResult> results) {

    /** Returns the replicas that have changed something, or would. */
    Set<String> changed() {
      return results.stream()
          .filter(result -> result.state().equals(DONE))
          .map(ChangeResult::replica)
          .collect(Collectors.toSet());
    }
  }

  private static Made made(Response response) {
    Made made =
        switch (response.body()) {
          case ControllerResource one -> made(one, one.replica(), one.partial(), one.results());
          case LimiterResource one -> made(one, one.replica(), one.partial(), one.results());
          case null, default -> throw new IllegalStateException("another answer to a change");
        };
    if (made.result().equals(ChangedValue.SKIPPED)) {
      throw Problem.of(
              409,
              "change-superseded",
              "Nothing to undo",
              "what was before the change is there already: " + made.detail())
          .rejection();
    }
    return made;
  }

  private static Made made(
      ChangedValue value,
      @Nullable String replica,
      @Nullable Boolean partial,
      @Nullable List<ChangeResult> results) {
    return new Made(
        String.valueOf(value.result()),
        value.detail(),
        replica,
        Boolean.TRUE.equals(partial),
        results == null ? List.of() : results);
  }

  private Response shown(
      RequestContext context, Wanted wanted, ChangeGroup change, UndoPlan plan, Made made) {
    String detail = wanted.dryRun() ? made.detail() : null;
    return Response.ok(
        new UndoResource(
            UndoResource.KIND,
            context.id(),
            wanted.requestId(),
            plan.action(),
            ChangeGroup.orNull(change.controller()),
            ChangeGroup.orNull(change.cause()),
            ChangeGroup.orNull(change.limiter()),
            plan.words(),
            plan.before(),
            plan.after(),
            wanted.dryRun() ? Effect.PREVIEW : ChangedValue.APPLIED,
            plan.detail() == null ? detail : plan.detail(),
            made.replica() == null ? directory.replica() : made.replica(),
            made.partial(),
            made.results()));
  }
}
