// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.reconcile.Result;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a timeline about attempts.
 *
 * <p>Thread rule: stateless.
 */
public final class AttemptText {

  private AttemptText() {}

  /** Returns a request as {@code namespace/name}. */
  public static <K> String key(RequestFormat<K> format, K request) {
    String namespace = format.namespace(request);
    return (namespace.isEmpty() ? "" : namespace + "/") + format.name(request);
  }

  /** Returns the line of an attempt that begins. */
  public static String begin(
      long attempt, String controller, String key, ReconcileContext context) {
    return "attempt %d  %s %s  (%s%s)"
        .formatted(
            attempt,
            controller,
            key,
            context.trigger(),
            context.failures() == 0 ? "" : ", failures " + context.failures());
  }

  /**
   * Returns the line of an attempt that has ended.
   *
   * @param result its result; null when it has failed
   * @param failed the failure; null for none
   */
  public static String end(long attempt, @Nullable Result result, @Nullable String failed) {
    return "attempt " + attempt + "  " + (failed == null ? text(result) : "failed: " + failed);
  }

  private static String text(@Nullable Result result) {
    return switch (result) {
      case null -> "no result";
      case Result.Done _ -> "done";
      case Result.Requeue _ -> "again with backoff";
      case Result.RequeueAfter after -> "again after " + after.delay();
    };
  }

  /** Returns the class and the first line of the message of a failure. */
  public static String firstLine(Throwable failure) {
    String text = failure.getClass().getSimpleName() + ": " + failure.getMessage();
    int end = text.indexOf('\n');
    return end < 0 ? text : text.substring(0, end);
  }
}
