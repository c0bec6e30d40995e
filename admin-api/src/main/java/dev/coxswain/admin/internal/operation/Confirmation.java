// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.json.Rejection;
import dev.coxswain.admin.internal.options.ChangePolicy;
import org.jspecify.annotations.Nullable;

/**
 * The limits of the number of items that an operation may change. Immutable.
 *
 * @param maxAffected the limit of the request
 * @param seen the number of items in the confirmed preview, -1 without one
 * @param most the number of items that may match without another confirmation
 */
public record Confirmation(int maxAffected, int seen, int most) {

  /** Returns how many items may be changed. */
  int allowed() {
    return Math.min(maxAffected, most);
  }

  /** The state that a request conflicts with. */
  private record Current(int matched, @Nullable Integer safeCount) {}

  /** Throws a {@link Rejection} when too many items match. */
  public void check(int matched, ChangePolicy policy) {
    String matches = OperationView.matches(matched) + " items match";
    if (matched > maxAffected) {
      throw Problem.of(
              409,
              "too-many-affected",
              "Too many items",
              matches + " and maxAffected is " + maxAffected + "; nothing was changed")
          .withCurrent(new Current(matched, null))
          .rejection();
    }
    if (matched > most) {
      throw Problem.of(
              409,
              "confirmation-required",
              "Confirmation required",
              seen < 0
                  ? matches
                      + " and more than "
                      + policy.safeCount()
                      + " need a confirmToken; request a preview with \"dryRun\": true and send its"
                      + " token with the request; nothing was changed"
                  : matches
                      + " now, and the confirmed preview has shown "
                      + seen
                      + "; request another preview; nothing was changed")
          .withCurrent(new Current(matched, policy.safeCount()))
          .rejection();
    }
  }
}
