// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import java.util.function.Supplier;

/** Starts a read-change-write over when somebody else has written in between. */
final class Conflicts {

  private Conflicts() {}

  /**
   * Runs {@code action} until it ends without a conflict.
   *
   * @param attempts how often at most; the last conflict is thrown, and the reconciler's own
   *     backoff takes over
   */
  static <R> R retry(int attempts, Supplier<R> action) {
    for (int attempt = 1; ; attempt++) {
      try {
        return action.get();
      } catch (ApiStatusException e) {
        if (!e.isConflict() || attempt >= attempts) {
          throw e;
        }
      }
    }
  }
}
