// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.access;

import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs reviews of tokens and rights: bounds how many run at once and how long each takes, and logs
 * when they begin to fail and when they succeed again. Confined to the admin event loop.
 */
final class ReviewBulkhead {

  private static final Logger log = LoggerFactory.getLogger(ReviewBulkhead.class);

  private final Context context;
  private final int max;
  private final Duration timeout;
  private int running;
  private boolean failing;

  ReviewBulkhead(Context context, int max, Duration timeout) {
    this.context = context;
    this.max = max;
    this.timeout = timeout;
  }

  /**
   * Runs a review; fails with a {@link Rejection} when there is no result in time. The review
   * counts as running until it ends, which may be after its timeout.
   */
  <T> Future<T> run(Supplier<Future<T>> review) {
    if (running >= max) {
      return Future.failedFuture(full());
    }
    running++;
    Promise<T> answer = Promise.promise();
    long timer =
        context.owner().setTimer(timeout.toMillis(), late -> answer.tryFail(unavailable()));
    start(review)
        .onComplete((value, failure) ->
            context.runOnContext(hop -> {
              running--;
              context.owner().cancelTimer(timer);
              note(failure);
              if (failure == null) {
                answer.tryComplete(value);
              } else {
                answer.tryFail(unavailable());
              }
            }));
    return answer.future();
  }

  private static <T> Future<T> start(Supplier<Future<T>> review) {
    try {
      return review.get();
    } catch (RuntimeException e) {
      return Future.failedFuture(e);
    }
  }

  private void note(@Nullable Throwable failure) {
    if (failure != null && !failing) {
      log.atWarn()
          .addKeyValue("error", String.valueOf(failure.getMessage()))
          .log("token and access reviews fail, requests are refused");
    } else if (failure == null && failing) {
      log.atInfo().log("token and access reviews succeed again");
    }
    failing = failure != null;
  }

  static Rejection full() {
    return Problem.unavailable(
            "too-many-reviews",
            "Too many reviews",
            "too many token and access reviews are running; try again")
        .rejection();
  }

  private static Rejection unavailable() {
    return Problem.of(
            503,
            "review-unavailable",
            "Review unavailable",
            "your token or your right could not be reviewed; try again")
        .with("Retry-After", "5")
        .rejection();
  }
}
