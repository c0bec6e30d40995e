// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.share;

import dev.coxswain.testing.host.Replica;
import java.io.IOException;
import java.util.regex.Pattern;

/**
 * What a replica has received for the cache of the changed objects until now, or in a time, and its
 * processor time.
 *
 * <p>Thread rule: immutable.
 *
 * @param dropped events of objects that it does not keep
 * @param listed objects of lists, kept or not
 * @param selected whether the API server selects for its watch, now
 * @param ranges how many ranges of namespaces its watch asks for, now
 * @param open slots that it may reconcile, now
 */
record ReplicaTraffic(
    double events,
    double bytes,
    double dropped,
    double listed,
    double listedBytes,
    boolean selected,
    int ranges,
    int open,
    double cpuSeconds) {
  private static final String CACHE = "cache=\"[^\"]*(?i:recordedobject)[^\"]*\"";

  /**
   * Reads the counters of a replica.
   *
   * @throws IOException when it does not answer
   */
  static ReplicaTraffic of(Replica replica) throws IOException {
    String metrics = replica.metrics();
    if (metrics.isEmpty()) {
      throw new IOException(replica.name() + " does not give its metrics; see " + replica.log());
    }
    return of(metrics, replica.figures().cpuSeconds());
  }

  static ReplicaTraffic of(String metrics, double cpuSeconds) {
    return new ReplicaTraffic(
        cache(metrics, "events_total"),
        cache(metrics, "event_bytes_total"),
        cache(metrics, "events_dropped_total"),
        cache(metrics, "listed_total"),
        cache(metrics, "listed_bytes_total"),
        cache(metrics, "watch_selected") == 1,
        (int) cache(metrics, "watch_ranges"),
        (int) sum(metrics, "coxswain_slots_held", "stage=\"open\""),
        cpuSeconds);
  }

  private static double cache(String metrics, String meter) {
    return sum(metrics, "coxswain_cache_" + meter, CACHE);
  }

  private static double sum(String metrics, String meter, String label) {
    return Pattern.compile("(?m)^" + meter + "\\{[^}]*" + label + "[^}]*} (\\S+)")
        .matcher(metrics)
        .results()
        .mapToDouble(found -> Double.parseDouble(found.group(1)))
        .sum();
  }

  /** Returns what came since an earlier moment of the same process. */
  ReplicaTraffic since(ReplicaTraffic earlier) {
    return new ReplicaTraffic(
        events - earlier.events,
        bytes - earlier.bytes,
        dropped - earlier.dropped,
        listed - earlier.listed,
        listedBytes - earlier.listedBytes,
        selected,
        ranges,
        open,
        cpuSeconds - earlier.cpuSeconds);
  }
}
