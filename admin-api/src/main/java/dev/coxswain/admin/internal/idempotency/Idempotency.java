// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.idempotency;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.http.ApiHeaders;
import dev.coxswain.admin.internal.http.Endpoint;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.http.Response;
import dev.coxswain.admin.internal.json.Hashes;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Carries out a change with an {@code Idempotency-Key} at most once, however often it is sent: the
 * same request gets the same answer. What was refused has changed nothing and may be tried again.
 * Confined to the admin event loop.
 *
 * <p>A key is taken by the replica that was asked for the whole change, and apart from that by each
 * replica that does a part of it, the one that was asked included. So whichever replica the change
 * is sent to again has the others repeat what they answered, and does its own part once.
 */
public final class Idempotency {

  private static final Pattern KEY = Pattern.compile("[\\x21-\\x7e]{1,255}");

  private static final String WHOLE = "whole";
  private static final String PART = "part";

  private final IdempotencyStore store;

  public Idempotency(IdempotencyStore store) {
    this.store = store;
  }

  /** Returns a change that is carried out once under its key. */
  public Endpoint.Handler once(Endpoint.Handler change) {
    return context -> {
      if (context.ofReplica() && context.request().getHeader(ApiHeaders.FIND) != null) {
        return change.handle(context); // a read: its response is not that of the change
      }
      return once(context, context.ofReplica() ? PART : WHOLE, () -> change.handle(context));
    };
  }

  /** Has this replica do its own part of a change, as it does for others. */
  public Endpoint.Handler part(Endpoint.Handler change) {
    return context -> once(context, PART, () -> change.handle(context));
  }

  private Future<Response> once(
      RequestContext context, String scope, Supplier<Future<Response>> change) {
    List<String> given = context.request().headers().getAll(ApiHeaders.IDEMPOTENCY_KEY);
    if (given.isEmpty()) {
      return change.get();
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
      return change.get(); // changes nothing, and what it shows grows old
    }
    String key = Hashes.of(List.of(scope, context.actor(), given.getFirst()));
    return store
        .claim(key, fingerprint(context))
        .compose(claim ->
            switch (claim) {
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
                          "you have sent another request with this Idempotency-Key; use a new key"
                              + " for each change")
                      .rejection();
              case IdempotencyStore.Claim.Full() ->
                  throw Problem.of(
                          503,
                          "idempotency-store-full",
                          "Too many running requests",
                          "too many requests with an Idempotency-Key have not been answered yet")
                      .with("Retry-After", "1")
                      .rejection();
            });
  }

  private Future<Response> carryOut(
      RequestContext context, String scope, String key, Supplier<Future<Response>> change) {
    Future<Response> done;
    try {
      done = change.get();
    } catch (RuntimeException e) {
      done = Future.failedFuture(e);
    }
    return done.onComplete((reply, failure) -> {
      if (failure == null) {
        store.keep(key, answer(reply));
      } else if (failure instanceof Rejection rejection && !isKept(scope, rejection)) {
        store.release(key); // nothing was changed
      } else {
        // Nobody knows what was changed, so it must not be done again under this key.
        Problem problem =
            failure instanceof Rejection rejection ? rejection.problem() : Problem.internal();
        ObjectNode body = problem.toJson(context.path(), context.id());
        store.keep(key, new IdempotencyStore.Answer(problem.status(), text(body), Map.of()));
      }
    });
  }

  /** That of a whole is free: each part is kept where it was done, or is not known. */
  private static boolean isKept(String scope, Rejection rejection) {
    return scope.equals(PART) && rejection.problem().slug().equals(Problem.UNKNOWN);
  }

  private static String fingerprint(RequestContext context) {
    String ifMatch = context.request().getHeader("If-Match");
    return Hashes.of(
        List.of(
            context.request().method().name(),
            context.below(),
            context.request().query() == null ? "" : context.request().query(),
            ifMatch == null ? "" : ifMatch,
            context.body().text()));
  }

  private static IdempotencyStore.Answer answer(Response reply) {
    return new IdempotencyStore.Answer(
        reply.status(), reply.body() == null ? null : text(reply.body()), reply.headers());
  }

  private static String text(ObjectNode body) {
    return new String(Json.write(body), StandardCharsets.UTF_8);
  }

  private static Response replay(IdempotencyStore.Answer answer) {
    return new Response(answer.status(), body(answer.body()), answer.headers())
        .withHeader(ApiHeaders.IDEMPOTENCY_REPLAYED, "true");
  }

  private static @Nullable ObjectNode body(@Nullable String text) {
    try {
      return text == null ? null : (ObjectNode) Json.read(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new IllegalStateException("a kept answer cannot be read", e);
    }
  }
}
