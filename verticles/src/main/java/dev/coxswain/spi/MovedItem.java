// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.spi;

import dev.coxswain.view.FailurePattern;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The state of one queued request that moves with its slot to another replica.
 *
 * <p>Thread rule: immutable.
 *
 * @param namespace the namespace of the request, empty for none
 * @param name its name
 * @param failures how many attempts have failed in a row
 * @param retry whether the next attempt takes a token
 * @param due the time until the next attempt, zero for now: relative, since clocks differ
 * @param priority its priority
 * @param error the last error, cut to {@link #MAX_ERROR} characters; empty for none
 * @param cause what the last error has in common with others; null when it is not known
 */
public record MovedItem(
    String namespace,
    String name,
    int failures,
    boolean retry,
    Duration due,
    int priority,
    String error,
    @Nullable FailurePattern cause) {

  /** The maximum length of an error. */
  public static final int MAX_ERROR = 256;

  public MovedItem {
    Objects.requireNonNull(namespace, "namespace");
    Objects.requireNonNull(name, "name");
    failures = Math.max(0, failures);
    due = due.isNegative() ? Duration.ZERO : due;
    error = error.length() > MAX_ERROR ? error.substring(0, MAX_ERROR) : error;
  }

  /** The state of a request whose cause is not known. */
  public MovedItem(
      String namespace,
      String name,
      int failures,
      boolean retry,
      Duration due,
      int priority,
      String error) {
    this(namespace, name, failures, retry, due, priority, error, null);
  }
}
