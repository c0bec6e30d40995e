// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.idempotency;

import dev.coxswain.admin.internal.http.ApiHeaders;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Hashes;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Carries out a change with an {@code Idempotency-Key} at most once: a repeated request gets the
 * stored response. A refused request changed nothing, so it releases its key. Confined to the admin
 * event loop.
 *
 * <p>The replica that receives the request claims the key for the whole change. Each replica that
 * carries out a part, the receiver included, claims it once more for its part. So a repetition may
 * go to any replica: no part is carried out twice.
 */
public final class Idempotency {

  /** How long a request with the same key is the same request. */
  public static final Duration VALIDITY = IdempotencyStore.VALIDITY;

  private static final Pattern KEY = Pattern.compile("[\\x21-\\x7e]{1,255}");

  private static final String WHOLE = "whole";
  private static final String PART = "part";

  private final IdempotencyStore store;

  public Idempotency(Clock clock) {
    this.store = new IdempotencyStore(clock, IdempotencyStore.MAX_KEYS);
  }

  /** Returns a handler that carries out a change once per key. */
  public Endpoint.Handler once(Endpoint.Handler change) {
    return context -> {
      if (context.ofReplica() && context.request().getHeader(ApiHeaders.FIND) != null) {
        return change.handle(context); // a read: its response is not that of the change
      }
      return once(context, context.ofReplica() ? PART : WHOLE, change);
    };
  }

  /** Returns a handler that carries out the part of this replica once per key. */
  public Endpoint.Handler part(Endpoint.Handler change) {
    return context -> once(context, PART, change);
  }

  private Future<Response> once(RequestContext context, String scope, Endpoint.Handler change) {
    List<String> given = context.request().headers().getAll(ApiHeaders.IDEMPOTENCY_KEY);
    if (given.isEmpty()) {
      return change.handle(context);
    }
    if (given.size() > 1 || !KEY.matcher(given.getFirst()).matches()) {
      throw Problem.invalid(
              "invalid-header",
              "Idempotency-Key must be given once, as 1 to 255 visible ASCII characters",
              new Problem.Fault(
                  "header",
                  ApiHeaders.IDEMPOTENCY_KEY,
                  "must have 1 to 255 visible ASCII characters"))
          .rejection();
    }
    if (context.body().isTrue("dryRun")) {
      return change.handle(context); // changes nothing, and a stored preview would be stale
    }
    String key = Hashes.of(List.of(scope, context.actor(), given.getFirst()));
    return switch (store.claim(key, fingerprint(context))) {
      case IdempotencyStore.Claim.Taken() -> carryOut(context, scope, key, change);
      case IdempotencyStore.Claim.Answered(IdempotencyStore.Answer answer) ->
          Future.succeededFuture(replay(answer));
      case IdempotencyStore.Claim.Running() ->
          throw Problem.of(
                  409,
                  "request-running",
                  "Request running",
                  "the request with this Idempotency-Key has not been answered yet")
              .with("Retry-After", "1")
              .rejection();
      case IdempotencyStore.Claim.OtherRequest() ->
          throw Problem.of(
                  422,
                  "idempotency-key-reused",
                  "Idempotency-Key reused",
                  "you have sent another request with this Idempotency-Key; use a new key for each"
                      + " change")
              .rejection();
      case IdempotencyStore.Claim.Full() ->
          throw Problem.unavailable(
                  "idempotency-store-full",
                  "Too many running requests",
                  "too many requests with an Idempotency-Key have not been answered yet")
              .rejection();
    };
  }

  private Future<Response> carryOut(
      RequestContext context, String scope, String key, Endpoint.Handler change) {
    Future<Response> done;
    try {
      done = change.handle(context);
    } catch (RuntimeException e) {
      done = Future.failedFuture(e);
    }
    return done.onComplete((reply, failure) -> {
      if (failure == null) {
        store.keep(key, answer(reply));
      } else if (failure instanceof Rejection rejection && !isKept(scope, rejection)) {
        store.release(key); // nothing was changed
      } else {
        // The outcome is unknown, so the change must not be repeated under this key.
        Problem problem =
            failure instanceof Rejection rejection ? rejection.problem() : Problem.internal();
        Problem.Body body = problem.body(context.path(), context.id());
        store.keep(key, new IdempotencyStore.Answer(problem.status(), body, Map.of()));
      }
    });
  }

  /** An unknown outcome is stored with the part; the key of the whole change is released. */
  private static boolean isKept(String scope, Rejection rejection) {
    return scope.equals(PART) && rejection.problem().slug().equals(Problem.UNKNOWN);
  }

  private static String fingerprint(RequestContext context) {
    String ifMatch = context.request().getHeader("If-Match");
    return Hashes.of(
        List.of(
            context.target().method().name(),
            context.below(),
            context.target().queryForPeers(),
            ifMatch == null ? "" : ifMatch,
            context.body().text()));
  }

  private static IdempotencyStore.Answer answer(Response reply) {
    return new IdempotencyStore.Answer(reply.status(), reply.body(), reply.headers());
  }

  private static Response replay(IdempotencyStore.Answer answer) {
    return new Response(answer.status(), answer.body(), answer.headers())
        .withHeader(ApiHeaders.IDEMPOTENCY_REPLAYED, "true");
  }
}
