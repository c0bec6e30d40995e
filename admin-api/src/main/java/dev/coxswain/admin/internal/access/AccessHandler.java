// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.access;

import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.Authentication;
import dev.coxswain.admin.auth.Principal;
import dev.coxswain.admin.auth.ReviewLimits;
import dev.coxswain.admin.auth.StaticAccess;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.admin.internal.http.ApiHeaders;
import dev.coxswain.admin.internal.http.ApiPaths;
import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.options.AdminOptions;
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
 * Authenticates and authorizes requests. A request that cannot be decided is refused. Confined to
 * the admin event loop.
 *
 * <h2>Order</h2>
 *
 * The token of the header is looked up by its hash, and reviewed if there is no cached decision. A
 * review is limited by a rate for the remote address (returned when the token is accepted or the
 * review fails) and by a rate for all addresses. Then the rate of the caller, the access ceiling
 * and the right to the route are checked. So the number of reviews that one caller can cause is
 * bounded before the first review.
 */
public final class AccessHandler {

  /** The number of callers whose rates are kept. */
  private static final int MAX_CALLERS = 1024;

  /**
   * The prefix of the budget of an address for connections that have already sent refused
   * credentials. New connections have a budget of their own, so a client that tries many tokens
   * does not exclude a new client behind the same address.
   */
  private static final String AGAIN = " again";

  private final AccessControl control;
  private final RateLimits<String> reads;
  private final RateLimits<String> changes;
  private final RateLimits<String> finds;
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
    this.finds = new RateLimits<>(clock, options.changesPerSecond(), MAX_CALLERS);
    ReviewLimits limits = control.limits();
    this.reviewer = limits == null ? null : new Reviewer(limits, context, clock);
  }

  public AccessControl control() {
    return control;
  }

  /**
   * Authenticates a request; fails with a {@link Rejection} when it is refused.
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
    if (found instanceof Authentication.Accepted accepted) {
      return accepted.principal();
    }
    failed.refused(FailedLogin.REJECTED, address(request), remote(request));
    throw Bearer.refused(control.hint());
  }

  private Principal limited(Principal principal, HttpServerRequest request) {
    String path = request.path();
    boolean read =
        request.method().equals(HttpMethod.GET) || request.method().equals(HttpMethod.HEAD);
    // A request with this header only finds out whether a change concerns the replica. Clients can
    // send it, too, so it has the rate of changes: a change causes one such request here at most.
    boolean find = !read && request.getHeader(ApiHeaders.FIND) != null && ApiPaths.isPeer(path);
    RateLimits<String> limits = read ? reads : find ? finds : changes;
    if (!limits.take(principal.name())) {
      throw Problem.tooMany(
              "too-many-requests",
              "Too many requests",
              "\""
                  + Json.line(principal.name(), 253)
                  + "\" sends requests faster than is allowed; try again later",
              limits.retryAfter())
          .rejection();
    }
    return principal;
  }

  /** Permits a verb to every admitted caller, within the access ceiling. */
  public Future<Void> permitWithinCeiling(Verb verb) {
    return isBelowCeiling(verb)
        ? Future.succeededFuture()
        : Future.failedFuture(aboveCeiling(verb));
  }

  /** Returns whether any caller may use a verb, within the access ceiling. */
  public boolean isBelowCeiling(Verb verb) {
    return control.ceiling().allows(verb);
  }

  /** Returns the refusal of a verb that no caller may use. */
  public Rejection aboveCeiling(Verb verb) {
    return Problem.of(
            403,
            "access-ceiling",
            "Above the access ceiling",
            "no caller may "
                + verb.label()
                + " through this API: admin.access is "
                + control.ceiling().label())
        .rejection();
  }

  /** Checks a right of a caller; fails with a {@link Rejection} without it. */
  public Future<Void> permit(Principal principal, AccessRequest wanted) {
    return permitWithinCeiling(wanted.verb()).compose(below -> authorize(principal, wanted));
  }

  /**
   * Checks that the caller who opened an event stream still has the right to it; fails if not, or
   * when that cannot be decided. It counts for no rate: streams are few, and the other requests of
   * a caller must not end its stream.
   */
  public Future<Void> mayContinue(RequestContext exchange) {
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

  /** Requests reviews within limits, and caches the decisions. */
  private static final class Reviewer {

    private record Right(Principal principal, AccessRequest wanted) {}

    private final ReviewLimits limits;
    private final ReviewBulkhead reviews;
    private final RateLimits<String> byAddress;
    private final RateLimits<String> overall;
    private final DecisionCache<String, Authentication> tokens;

    /**
     * Hashes of tokens that were good when they were last reviewed. Their next review has a budget
     * of its own, which unknown tokens cannot use up.
     */
    private final Map<String, Boolean> proven;

    private final RateLimits<String> provenRates;
    private final DecisionCache<Right, Boolean> rights;

    Reviewer(ReviewLimits limits, Context context, Clock clock) {
      this.limits = limits;
      this.reviews = new ReviewBulkhead(context, limits.maxAtOnce(), limits.timeout());
      this.byAddress = new RateLimits<>(clock, limits.perAddress(), MAX_CALLERS);
      this.overall = new RateLimits<>(clock, limits.overall(), 1);
      this.tokens = new DecisionCache<>(clock, limits.maxEntries());
      this.proven = new RateLimits.Recent<>(limits.maxEntries());
      this.provenRates = new RateLimits<>(clock, limits.perAddress(), limits.maxEntries());
      this.rights = new DecisionCache<>(clock, limits.maxEntries());
    }

    /**
     * Authenticates a token, by a cached decision or a review, which counts for the address unless
     * it is null.
     */
    Future<Authentication> authenticate(
        AccessControl.Ports ports, String token, @Nullable String address) {
      String key = StaticAccess.hash(token);
      Authentication known = tokens.cached(key);
      if (known != null) {
        return Future.succeededFuture(known);
      }
      boolean proven = this.proven.containsKey(key);
      if (address != null && !tokens.isReviewed(key)) {
        if (!proven) {
          count(address);
        } else if (!provenRates.take(key)) {
          throw ReviewBulkhead.full();
        }
      }
      return tokens.decide(
          key,
          () ->
              reviews
                  .run(() -> ports.authenticator().authenticate(token))
                  .onComplete((found, failure) -> {
                    boolean good = found instanceof Authentication.Accepted;
                    if (address != null && !proven && (failure != null || good)) {
                      byAddress.giveBack(address);
                    }
                    if (good) {
                      this.proven.put(key, true);
                    } else if (failure == null) {
                      this.proven.remove(key);
                    }
                  })
                  .map(this::decision));
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

    private DecisionCache.Decision<Authentication> decision(Authentication found) {
      return found instanceof Authentication.Accepted accepted
          ? new DecisionCache.Decision<>(
              found, true, shorter(accepted.lifetime(), limits.acceptedFor()))
          : new DecisionCache.Decision<>(found, false, limits.rejectedFor());
    }

    private static Duration shorter(Duration one, Duration other) {
      return one.compareTo(other) < 0 ? one : other;
    }

    Future<Boolean> authorize(
        AccessControl.Ports ports, Principal principal, AccessRequest wanted) {
      Right key = new Right(principal, wanted);
      Boolean known = rights.cached(key);
      return known != null
          ? Future.succeededFuture(known)
          : rights.decide(
              key,
              () ->
                  reviews
                      .run(() -> ports.authorizer().authorize(principal, wanted))
                      .map(allowed ->
                          new DecisionCache.Decision<>(
                              allowed, allowed, validity(allowed, wanted.verb()))));
    }

    private Duration validity(boolean allowed, Verb verb) {
      if (!allowed) {
        return limits.deniedFor();
      }
      return verb.effect() == Verb.Effect.READ ? limits.allowedFor() : limits.allowedChangeFor();
    }
  }
}
