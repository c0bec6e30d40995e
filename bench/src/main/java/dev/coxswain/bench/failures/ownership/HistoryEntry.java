// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

/**
 * The status of an object in one version of the API server.
 *
 * @param key the name of the object
 * @param version the resourceVersion
 * @param epoch the epoch of the attempt that wrote the status
 * @param begin when that attempt began
 * @param process the process of that attempt
 * @param nanos when the suite learned of it
 */
record HistoryEntry(String key, long version, long epoch, long begin, String process, long nanos) {
  static HistoryEntry of(Attempt attempt) {
    return new HistoryEntry(
        attempt.key(),
        attempt.version(),
        attempt.epoch(),
        attempt.begin(),
        attempt.process(),
        attempt.written());
  }

  boolean sameAttempt(HistoryEntry other) {
    return begin == other.begin && epoch == other.epoch && process.equals(other.process);
  }

  boolean sameOwner(HistoryEntry other) {
    return epoch == other.epoch && process.equals(other.process);
  }

  boolean olderThan(HistoryEntry other) {
    return epoch < other.epoch || (epoch == other.epoch && begin < other.begin);
  }
}
