// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.informer;

/**
 * What the events of one watch took in one process. Immutable.
 *
 * @param coldMillis processor time of the whole process for each 1,000 events that come one by one,
 *     the first ones after its start
 * @param pacedMillis the same once the code is compiled
 * @param pacedBytes allocated by all threads for each of them
 * @param pacedSwitches how often a thread was woken up for each of them; NaN when it is not known
 * @param drainedMillis processor time for each 1,000 events that come as fast as they are read
 * @param drainedBytes allocated by all threads for each of them
 * @param eventBytes the size of an event
 */
public record ForeignReport(
    double coldMillis,
    double pacedMillis,
    double pacedBytes,
    double pacedSwitches,
    double drainedMillis,
    double drainedBytes,
    double eventBytes) {}
