// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.spi;

import org.jspecify.annotations.Nullable;

/**
 * The span of one attempt in a trace.
 *
 * <p>Thread rule: {@link #end} on the controller's event loop, once; the rest any thread.
 */
public interface AttemptSpan {

  /** Returns the value of a W3C {@code traceparent} header for calls that the attempt makes. */
  String traceParent();

  /**
   * The attempt ended, or ran into its time limit.
   *
   * @param result how: {@code success}, {@code requeue_after}, {@code requeue}, {@code error},
   *     {@code terminal}, {@code timeout} or {@code lost_ownership}
   * @param error the failure as text; null when it did not fail
   */
  void end(String result, @Nullable String error);
}
