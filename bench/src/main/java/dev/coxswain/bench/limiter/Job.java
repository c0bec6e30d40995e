// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

/**
 * What all members of a cluster do at the same time. Immutable.
 *
 * @param way how they ask, see {@link LimiterSubject}
 * @param load how much they ask for
 * @param limiters of how many limiters
 * @param warmMillis for how long before it counts, from the first grant on
 * @param millis for how long it counts
 */
record Job(String way, Load load, int limiters, long warmMillis, long millis) {

  String line() {
    return way + " " + load + " " + limiters + " " + warmMillis + " " + millis;
  }

  static Job parse(String line) {
    String[] parts = line.split(" ", -1);
    return new Job(
        parts[0],
        Load.valueOf(parts[1]),
        Integer.parseInt(parts[2]),
        Long.parseLong(parts[3]),
        Long.parseLong(parts[4]));
  }
}
