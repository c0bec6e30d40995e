// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.view;

import java.time.Instant;
import java.util.Objects;

/**
 * A standing problem of one controller.
 *
 * <p>Thread rule: immutable.
 *
 * @param type which problem
 * @param since since when it stands without a break
 * @param message what is wrong and what to do, in a sentence for people
 */
public record Condition(ConditionType type, Instant since, String message) {

  public Condition {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(since, "since");
    Objects.requireNonNull(message, "message");
  }
}
