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
record Job(String way, Load load, int limiters, long warmMillis, long millis) {}
