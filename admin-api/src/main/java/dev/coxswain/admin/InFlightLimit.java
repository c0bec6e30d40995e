// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.Problem;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Limits the requests in flight, in all and for each caller. A caller has at most its share, and
 * never more than are left: so each further place that a caller takes leaves as many for others, and
 * a few callers do not use them up. Confined to the admin event loop.
 */
final class InFlightLimit {

  private final int max;
  private final int each;
  private final Map<String, Integer> byCaller = new HashMap<>();
  private int all;

  /**
   * Creates a limit.
   *
   * @param max of all requests
   * @param each of the requests of one caller
   */
  InFlightLimit(int max, int each) {
    this.max = max;
    this.each = Math.max(1, each);
  }

  /** The place of one request, which is empty until it takes one. */
  final class Place {
    private @Nullable String caller;

    /**
     * Takes a place; returns null, or the refusal when there is none.
     *
     * @param name the caller, or null for one without a share of its own
     */
    @Nullable Problem take(@Nullable String name) {
      if (all >= max) {
        return refused("this replica has " + max + " requests in flight; try again");
      }
      String key = name == null ? "" : name;
      int mine = byCaller.getOrDefault(key, 0);
      if (name != null && (mine >= each || mine >= max - all)) {
        return refused(
            "\""
                + Json.line(name, 253)
                + "\" has "
                + mine
                + " requests in flight, which is the share of one caller now; wait for their"
                + " responses and try again");
      }
      all++;
      byCaller.merge(key, 1, Integer::sum);
      caller = key;
      return null;
    }

    /** Gives the place back, if it was taken. */
    void free() {
      String key = caller;
      if (key != null) {
        caller = null;
        all--;
        byCaller.computeIfPresent(key, (name, mine) -> mine == 1 ? null : mine - 1);
      }
    }
  }

  /** Returns an empty place. */
  Place place() {
    return new Place();
  }

  static Problem refused(String why) {
    return Problem.unavailable("too-many-requests-in-flight", "Too many requests in flight", why);
  }
}
