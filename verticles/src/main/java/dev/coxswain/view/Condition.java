// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.view;

import java.time.Instant;
import java.util.Objects;

/**
 * A standing problem of one controller.
 *
 * <p>Thread rule: immutable.
 *
 * @param type the kind of problem
 * @param since when it was raised
 * @param message what is wrong and what to do, for display
 */
public record Condition(ConditionType type, Instant since, String message) {

  public Condition {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(since, "since");
    Objects.requireNonNull(message, "message");
  }
}
