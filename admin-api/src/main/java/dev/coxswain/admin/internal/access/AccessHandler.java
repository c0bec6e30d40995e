// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.access;

import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.Authentication;
import dev.coxswain.admin.auth.Principal;
import dev.coxswain.admin.auth.ReviewLimits;
import dev.coxswain.admin.auth.StaticAccess;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.config.AdminOptions;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.admin.internal.http.ApiHeaders;
import dev.coxswain.admin.internal.http.ApiPaths;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.spi.AdminTelemetry.FailedLogin;
import dev.coxswain.spi.Clock;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Lets nobody pass who has not shown who they are, and nobody do what they may not. Whatever cannot
 * be decided is refused. Confined to the admin event loop.
 *
 * <h2>Order</h2>
 *
 * A token is taken from the header, looked up by its hash, and only when it is not known reviewed:
 * within a rate for the address it came from (given back when the token turns out to be good, or
 * nobody could tell) and a rate for all. Then the caller's own rate is counted, and for the route
 * the ceiling and the right. So what one caller can cause at the reviewer is bounded before the
 * reviewer is asked.
 */
public final class AccessHandler {

  /** How many callers are remembered by their rate. */
  private static final int MAX_CALLERS = 1024;

  /**
   * Marks the budget of an address for connections that have sent refused credentials, apart from
   * its budget for the first ones of a connection: who tries one token after the other does not
   * keep a new client behind the same address out.
   */
  private static final String AGAIN = " again";

  private final AccessControl control;
  private final RateLimits<String> reads;
  private final RateLimits<String> changes;
  private final FailedLogins failed;
  private final @Nullable Reviewer reviewer;

  public AccessHandler(
      AccessControl control,
      AdminOptions options,
      FailedLogins failed,
      Context context,
      Clock clock) {
    this.control = control;
    this.failed = failed;
    this.reads = new RateLimits<>(clock, options.readsPerSecond(), MAX_CALLERS);
    this.changes = new RateLimits<>(clock, options.changesPerSecond(), MAX_CALLERS);
    ReviewLimits limits = control.limits();
    this.reviewer = limits == null ? null : new Reviewer(limits, context, clock);
  }

  public AccessControl control() {
    return control;
  }

  /**
   * Authenticates a request; fails with a {@link Rejection} for one that must not pass.
   *
   * @param failedBefore whether its connection has sent refused credentials
   */
  public Future<Principal> admit(HttpServerRequest request, boolean failedBefore) {
    String address = address(request);
    return caller(request, failedBefore ? address + AGAIN : address)
        .map(principal -> limited(principal, request));
  }

  private Future<Principal> caller(HttpServerRequest request, @Nullable String budget) {
    AccessControl.Ports ports = control.ports();
    if (ports == null) {
      return Future.succeededFuture(Principal.ANONYMOUS);
    }
    try {
      String token = token(request);
      return authenticated(ports, token, budget, request)
          .map(authentication -> accepted(authentication, request));
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }

  private Future<Authentication> authenticated(
      AccessControl.Ports ports, String token, @Nullable String budget, HttpServerRequest request) {
    try {
      return reviewer == null
          ? ports.authenticator().authenticate(token)
          : reviewer.authenticate(ports, token, budget);
    } catch (Rejection e) {
      if (FailedLogins.isTooMany(e)) {
        failed.refused(FailedLogin.LIMITED, address(request), remote(request));
      }
      throw e;
    }
  }

  private String token(HttpServerRequest request) {
    try {
      return Bearer.token(request, control.hint());
    } catch (Rejection e) {
      if (request.headers().contains("Authorization")) {
        failed.refused(FailedLogin.MALFORMED, address(request), remote(request));
      } else {
        failed.missing();
      }
      throw e;
    }
  }

  private static String remote(HttpServerRequest request) {
    return String.valueOf(request.remoteAddress());
  }

  private static String address(HttpServerRequest request) {
    String address = request.remoteAddress().hostAddress();
    return address == null ? "" : address;
  }

  private Principal accepted(Authentication found, HttpServerRequest request) {
    return switch (found) {
      case Authentication.Accepted(Principal principal, Duration lifetime) -> principal;
      case Authentication.Rejected() -> {
        failed.refused(FailedLogin.REJECTED, address(request), remote(request));
        throw Bearer.refused(control.hint());
      }
    };
  }

  private Principal limited(Principal principal, HttpServerRequest request) {
    String path = request.path();
    // A replica that asks another one whether it is concerned changes nothing there.
    boolean asks =
        request.getHeader(ApiHeaders.FIND) != null && path != null && ApiPaths.isPeer(path);
    boolean read =
        asks || request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
    RateLimits<String> limits = read ? reads : changes;
    if (!limits.take(principal.name())) {
      throw Problem.of(
              429,
              "too-many-requests",
              "Too many requests",
              "\"" + Json.line(principal.name(), 253) + "\" sends requests faster than is allowed")
          .with("Retry-After", Long.toString(limits.retryAfter()))
          .rejection();
    }
    return principal;
  }

  /** Lets everybody whom {@link #admit} let in do something, as far as the ceiling goes. */
  public Future<Void> permitAnybody(Verb verb) {
    return control.ceiling().allows(verb)
        ? Future.succeededFuture()
        : Future.failedFuture(
            Problem.of(
                    403,
                    "access-ceiling",
                    "Not here",
                    "nobody may "
                        + verb.label()
                        + " through this API: admin.access is "
                        + control.ceiling().label())
                .rejection());
  }

  /** Finds out whether somebody may do something; fails with a {@link Rejection} if not. */
  public Future<Void> permit(Principal principal, AccessRequest wanted) {
    return permitAnybody(wanted.verb()).compose(below -> authorize(principal, wanted));
  }

  /**
   * Finds out whether whoever opened a stream of events may still hear it; fails when they may not,
   * or when that cannot be decided. It counts for no rate: streams are few, and whoever is too fast
   * otherwise must neither lose a stream for that nor keep one.
   */
  public Future<Void> mayGoOn(RequestContext exchange) {
    return caller(exchange.request(), null)
        .compose(caller -> permit(caller, Access.toEvents().of(exchange)));
  }

  private Future<Void> authorize(Principal principal, AccessRequest wanted) {
    AccessControl.Ports ports = control.ports();
    if (ports == null) {
      return Future.succeededFuture();
    }
    Future<Boolean> allowed =
        reviewer == null
            ? ports.authorizer().authorize(principal, wanted)
            : reviewer.authorize(ports, principal, wanted);
    return allowed.map(yes -> {
      if (!yes) {
        throw forbidden(principal, wanted);
      }
      return null;
    });
  }

  private static Rejection forbidden(Principal principal, AccessRequest wanted) {
    String namespace = wanted.namespace();
    String detail =
        "\""
            + Json.line(principal.name(), 253)
            + "\" may not "
            + wanted.verb().label()
            + " "
            + wanted.resource()
            + "."
            + AccessRequest.GROUP
            + (wanted.name().isEmpty() ? "" : " \"" + Json.line(wanted.name(), 64) + "\"")
            + (namespace.isEmpty()
                ? " in all namespaces"
                : " in namespace \"" + Json.line(namespace, 253) + "\"");
    return Problem.of(403, "forbidden", "Forbidden", detail)
        .withMember(
            "required",
            Json.object()
                .put("verb", wanted.verb().label())
                .put("group", AccessRequest.GROUP)
                .put("resource", wanted.resource())
                .put("namespace", Json.line(namespace, 253))
                .put("name", Json.line(wanted.name(), 64)))
        .rejection();
  }

  /** Asks somebody else, within limits, and remembers. */
  private static final class Reviewer {

    private record Right(Principal principal, AccessRequest wanted) {}

    private final ReviewLimits limits;
    private final ReviewBulkhead slots;
    private final RateLimits<String> byAddress;
    private final RateLimits<String> overall;
    private final DecisionCache<String, Authentication> tokens;

    /**
     * Hashes of tokens that were good when they were last reviewed. Their next review has a budget
     * of its own, which unknown tokens cannot use up.
     */
    private final Map<String, Boolean> proven;

    private final RateLimits<String> reproved;
    private final DecisionCache<Right, Boolean> rights;

    Reviewer(ReviewLimits limits, Context context, Clock clock) {
      this.limits = limits;
      this.slots = new ReviewBulkhead(context, limits.maxAtOnce(), limits.timeout());
      this.byAddress = new RateLimits<>(clock, limits.perAddress(), MAX_CALLERS);
      this.overall = new RateLimits<>(clock, limits.overall(), 1);
      this.tokens = new DecisionCache<>(clock, limits.maxEntries());
      this.proven = new RateLimits.Recent<>(limits.maxEntries());
      this.reproved = new RateLimits<>(clock, limits.perAddress(), limits.maxEntries());
      this.rights = new DecisionCache<>(clock, limits.maxEntries());
    }

    /** Asks who has a token, unless that is known; counted for an address, or for nobody. */
    Future<Authentication> authenticate(
        AccessControl.Ports ports, String token, @Nullable String address) {
      String question = StaticAccess.hash(token);
      Authentication known = tokens.known(question);
      if (known != null) {
        return Future.succeededFuture(known);
      }
      boolean proven = this.proven.containsKey(question);
      if (address != null && !tokens.beingAsked(question)) {
        if (!proven) {
          count(address);
        } else if (!reproved.take(question)) {
          throw ReviewBulkhead.full();
        }
      }
      return tokens.ask(
          question,
          () ->
              slots
                  .run(() -> ports.authenticator().authenticate(token))
                  .onComplete((found, failure) -> {
                    boolean good = found instanceof Authentication.Accepted;
                    if (address != null && !proven && (failure != null || good)) {
                      byAddress.giveBack(address);
                    }
                    if (good) {
                      this.proven.put(question, true);
                    } else if (failure == null) {
                      this.proven.remove(question);
                    }
                  })
                  .map(this::held));
    }

    private void count(String address) {
      if (!byAddress.take(address)) {
        throw FailedLogins.tooMany(byAddress.retryAfter());
      }
      if (!overall.take("")) {
        byAddress.giveBack(address);
        throw ReviewBulkhead.full();
      }
    }

    private DecisionCache.Answer<Authentication> held(Authentication found) {
      return switch (found) {
        case Authentication.Accepted(Principal principal, Duration lifetime) ->
            new DecisionCache.Answer<>(found, true, shorter(lifetime, limits.acceptedFor()));
        case Authentication.Rejected() ->
            new DecisionCache.Answer<>(found, false, limits.rejectedFor());
      };
    }

    private static Duration shorter(Duration one, Duration other) {
      return one.compareTo(other) < 0 ? one : other;
    }

    Future<Boolean> authorize(
        AccessControl.Ports ports, Principal principal, AccessRequest wanted) {
      Right question = new Right(principal, wanted);
      Boolean known = rights.known(question);
      return known != null
          ? Future.succeededFuture(known)
          : rights.ask(
              question,
              () ->
                  slots
                      .run(() -> ports.authorizer().authorize(principal, wanted))
                      .map(allowed ->
                          new DecisionCache.Answer<>(
                              allowed, allowed, holds(allowed, wanted.verb()))));
    }

    private Duration holds(boolean allowed, Verb verb) {
      if (!allowed) {
        return limits.deniedFor();
      }
      return verb.effect() == Verb.Effect.READ ? limits.allowedFor() : limits.allowedChangeFor();
    }
  }
}
