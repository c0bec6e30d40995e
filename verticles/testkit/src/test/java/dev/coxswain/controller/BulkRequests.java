// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.view.ItemFilter;
import java.time.Duration;

/** Requests of actions on many items, without what only some of them need. */
public final class BulkRequests {

  private BulkRequests() {}

  /** Returns a request that is carried out at once. */
  public static BulkRequest of(BulkRequest.Action action, ItemFilter filter, int maxAffected) {
    return of(action, filter, maxAffected, 0);
  }

  /** Returns a request with a limit on its speed. */
  public static BulkRequest of(
      BulkRequest.Action action, ItemFilter filter, int maxAffected, int itemsPerSecond) {
    return new BulkRequest(
        action,
        filter,
        false,
        maxAffected,
        false,
        false,
        BulkRequest.Then.NONE,
        Duration.ZERO,
        Duration.ZERO,
        itemsPerSecond);
  }
}
