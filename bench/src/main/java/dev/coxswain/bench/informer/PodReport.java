// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.informer;

/**
 * The figures of one subject in one process. "Cold" is the first time in the process, "warm"
 * the last of a few. Immutable.
 *
 * @param coldMillis from nothing to synced and every pod delivered to a handler
 * @param coldCpuMillis processor time of the whole process for that
 * @param warmMillis the same once the code is compiled
 * @param warmCpuMillis processor time of that
 * @param allocatedBytes allocated by all threads for that
 * @param retainedBytes heap after collections with the cache, less that from before
 */
public record PodReport(
    double coldMillis,
    double coldCpuMillis,
    double warmMillis,
    double warmCpuMillis,
    double allocatedBytes,
    double retainedBytes) {}
