// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

/**
 * A task of all members of a cluster at the same time. Immutable.
 *
 * @param way the kind of requests, see {@link LimiterSubject}
 * @param load the amount of requests
 * @param limiters of how many limiters
 * @param warmMillis for how long before it counts, from the first grant on
 * @param millis for how long it counts
 */
record Job(String way, Load load, int limiters, long warmMillis, long millis) {}
