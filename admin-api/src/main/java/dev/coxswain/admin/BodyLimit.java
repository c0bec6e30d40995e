// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import dev.coxswain.admin.internal.http.RequestContext;
import dev.coxswain.admin.internal.json.Problem;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Limits the bodies that are read before the right of their caller is known, since the namespace is
 * in the body. A new one takes the place of the oldest one of the caller with the most: slow
 * bodies block no request whose body arrives at once. Confined to the admin event loop.
 */
final class BodyLimit {

  private final int max;

  /** In the order of their beginning. */
  private final Set<RequestContext> reading = new LinkedHashSet<>();

  BodyLimit(int max) {
    this.max = Math.max(1, max);
  }

  /** A body begins to be read. */
  void begin(RequestContext context) {
    if (reading.size() >= max) {
      RequestContext slow = oldestOfMost();
      end(slow);
      slow.problem(
          Problem.of(
              408,
              "body-timeout",
              "Body too slow",
              "the body did not arrive before those of "
                  + max
                  + " later requests; send the request again"));
    }
    reading.add(context);
    context.atEnd(() -> end(context));
  }

  /** A body has arrived, or will not. */
  void end(RequestContext context) {
    reading.remove(context);
  }

  private RequestContext oldestOfMost() {
    Map<String, Integer> byCaller = new HashMap<>();
    reading.forEach(one -> byCaller.merge(one.caller(), 1, Integer::sum));
    int most = byCaller.values().stream().mapToInt(Integer::intValue).max().orElse(0);
    return reading.stream()
        .filter(one -> byCaller.getOrDefault(one.caller(), 0) == most)
        .findFirst()
        .orElseThrow();
  }
}
