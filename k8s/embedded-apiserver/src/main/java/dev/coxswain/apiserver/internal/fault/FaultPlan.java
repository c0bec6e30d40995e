// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.fault;

import dev.coxswain.apiserver.internal.status.ApiException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Which requests fail or wait; confined to the server's event loop. */
public final class FaultPlan {
  private static final class Failure {
    private final int status;
    private final int retryAfter;
    private final Predicate<String> path;
    private int left;

    Failure(int left, int status, int retryAfter, Predicate<String> path) {
      this.left = left;
      this.status = status;
      this.retryAfter = retryAfter;
      this.path = path;
    }
  }

  private final List<Failure> failures = new ArrayList<>();
  private Duration latency = Duration.ZERO;

  /** Lets the next {@code count} requests whose path (with query) matches fail. */
  public void failNext(int count, int status, int retryAfter, Predicate<String> path) {
    failures.add(new Failure(count, status, retryAfter, path));
  }

  /** Delays every request. */
  public void latency(Duration delay) {
    latency = delay;
  }

  public Duration latency() {
    return latency;
  }

  /** Forgets all plans. */
  public void reset() {
    failures.clear();
    latency = Duration.ZERO;
  }

  /** Returns the failure that this request gets, or null; uses it up. */
  public @Nullable ApiException next(String uri) {
    for (Iterator<Failure> i = failures.iterator(); i.hasNext(); ) {
      Failure failure = i.next();
      if (failure.path.test(uri)) {
        if (--failure.left <= 0) {
          i.remove();
        }
        return failure(failure);
      }
    }
    return null;
  }

  private static ApiException failure(Failure f) {
    return switch (f.status) {
      case 410 ->
          ApiException.expired(
              "The resourceVersion for the provided list is too old. (injected fault)");
      case 429 ->
          ApiException.retryLater(
              429,
              "TooManyRequests",
              "the server has received too many requests (injected fault)",
              f.retryAfter,
              null);
      case 503 ->
          ApiException.retryLater(
              503,
              "ServiceUnavailable",
              "the server is currently unable to handle the request (injected fault)",
              f.retryAfter,
              null);
      case 500 ->
          ApiException.retryLater(
              500, "InternalError", "Internal error occurred: injected fault", f.retryAfter, null);
      case 504 ->
          ApiException.retryLater(504, "Timeout", "Timeout: injected fault", f.retryAfter, null);
      default -> ApiException.retryLater(f.status, "Unknown", "injected fault", f.retryAfter, null);
    };
  }
}
