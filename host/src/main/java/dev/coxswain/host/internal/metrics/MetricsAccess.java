// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.metrics;

import dev.coxswain.admin.auth.StaticAccess;
import dev.coxswain.k8s.auth.AccessReviews;
import dev.coxswain.spi.Clock;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the scrapers through that may {@code get} the path of the metrics, as the API server decides
 * by a TokenReview and a SubjectAccessReview. Decisions are kept for a minute. While the API server
 * does not answer, a scraper that was allowed in the last ten minutes still is: metrics are needed
 * most then.
 *
 * <p>Thread rule: called on an event loop of the server; reviews run on platform threads, few at a time.
 */
public final class MetricsAccess implements Handler<HttpServerRequest> {

  private static final Logger LOG = LoggerFactory.getLogger(MetricsAccess.class);
  private static final String SCHEME = "Bearer ";

  static final Duration FRESH = Duration.ofMinutes(1);
  static final Duration STALE = Duration.ofMinutes(10);

  /** How long a refusal is kept; short, because an operator grants a missing right and tries again. */
  static final Duration REFUSED = Duration.ofSeconds(10);

  /** Clients that send other tokens each time may not occupy the API server. */
  static final int REVIEWS_AT_ONCE = 4;

  static final int REVIEWS_PER_SECOND = 10;
  static final int MAX_KNOWN = 256;
  private static final int MAX_TOKEN = 8192;

  private final Vertx vertx;
  private final Review review;
  private final Handler<HttpServerRequest> next;
  private final Clock clock;

  /** Decisions by the hash of the token, the oldest first; guarded by this, as all below. */
  private final SequencedMap<String, Known> allowed = new LinkedHashMap<>();

  /** Apart from the others, so that guessed tokens evict no scraper. */
  private final SequencedMap<String, Known> refused = new LinkedHashMap<>();

  private int running;
  private int begun;
  private long second;
  private boolean failing;

  /** A decision. */
  enum Decision {
    /** The token is not valid here. */
    UNAUTHENTICATED,
    /** Its account has not the right. */
    FORBIDDEN,
    /** The metrics are served. */
    ALLOWED
  }

  private record Known(Decision decision, long nanos) {}

  /** Decides on a token; blocks. */
  @FunctionalInterface
  interface Review {
    Decision of(String token) throws Exception;
  }

  MetricsAccess(Vertx vertx, Review review, Handler<HttpServerRequest> next, Clock clock) {
    this.vertx = vertx;
    this.review = review;
    this.next = next;
    this.clock = clock;
    this.second = clock.nanos();
  }

  /**
   * Creates the access.
   *
   * @param reviews the API server
   * @param path the path of the metrics, the object of the right
   * @param next serves allowed scrapes
   */
  public static MetricsAccess of(
      Vertx vertx,
      AccessReviews reviews,
      String path,
      Handler<HttpServerRequest> next,
      Clock clock) {
    return new MetricsAccess(
        vertx,
        token ->
            reviews
                .user(token)
                .map(user ->
                    reviews.allowed(user, path, "get") ? Decision.ALLOWED : Decision.FORBIDDEN)
                .orElse(Decision.UNAUTHENTICATED),
        next,
        clock);
  }

  @Override
  public void handle(HttpServerRequest request) {
    String header = request.getHeader("Authorization");
    if (header == null || !header.startsWith(SCHEME) || header.length() > MAX_TOKEN) {
      answer(request, Decision.UNAUTHENTICATED);
      return;
    }
    String token = header.substring(SCHEME.length()).strip();
    String hash = StaticAccess.hash(token);
    Known last = last(hash);
    if (last != null && age(last).compareTo(lifetime(last.decision())) < 0) {
      answer(request, last.decision());
    } else if (!begin()) {
      undecided(request, last);
    } else {
      Context context = vertx.getOrCreateContext();
      Thread.ofPlatform()
          .daemon()
          .name("metrics-review")
          .start(() -> {
            Decision decision = decide(token, hash);
            context.runOnContext(_ -> {
              if (decision == null) {
                undecided(request, last);
              } else {
                answer(request, decision);
              }
            });
          });
    }
  }

  private @Nullable Decision decide(String token, String hash) {
    try {
      Decision decision = review.of(token);
      ended(hash, new Known(decision, clock.nanos()), null);
      return decision;
    } catch (Throwable e) { // also no memory: otherwise it would count as running for ever
      ended(hash, null, e);
      return null;
    }
  }

  private synchronized @Nullable Known last(String hash) {
    Known found = allowed.get(hash);
    return found == null ? refused.get(hash) : found;
  }

  /** Returns whether another review may begin now. */
  private synchronized boolean begin() {
    long now = clock.nanos();
    if (now - second >= Duration.ofSeconds(1).toNanos()) {
      second = now;
      begun = 0;
    }
    if (running >= REVIEWS_AT_ONCE || begun >= REVIEWS_PER_SECOND) {
      return false;
    }
    running++;
    begun++;
    return true;
  }

  private synchronized void ended(
      String hash, @Nullable Known decision, @Nullable Throwable failure) {
    running--;
    if (decision != null) {
      allowed.remove(hash); // it becomes the newest
      refused.remove(hash);
      var kept = decision.decision() == Decision.ALLOWED ? allowed : refused;
      kept.put(hash, decision);
      if (kept.size() > MAX_KNOWN) {
        kept.pollFirstEntry();
      }
      failing = false;
    } else if (!failing) {
      failing = true;
      LOG.atWarn().setCause(failure).log("scrapers of the metrics cannot be reviewed");
    }
  }

  private Duration age(Known decision) {
    return Duration.ofNanos(clock.nanos() - decision.nanos());
  }

  private static Duration lifetime(Decision decision) {
    return decision == Decision.ALLOWED ? FRESH : REFUSED;
  }

  private void undecided(HttpServerRequest request, @Nullable Known last) {
    if (last != null && last.decision() == Decision.ALLOWED && age(last).compareTo(STALE) < 0) {
      next.handle(request);
    } else {
      request.response().setStatusCode(503).putHeader("Retry-After", "1").end("not reviewed\n");
    }
  }

  private void answer(HttpServerRequest request, Decision decision) {
    switch (decision) {
      case ALLOWED -> next.handle(request);
      case FORBIDDEN -> request.response().setStatusCode(403).end("forbidden\n");
      case UNAUTHENTICATED ->
          request
              .response()
              .setStatusCode(401)
              .putHeader("WWW-Authenticate", "Bearer realm=\"coxswain\"")
              .end("unauthorized\n");
    }
  }
}
