// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures;

import dev.coxswain.retry.WindowChecker;
import dev.coxswain.testing.report.Recordings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Retries that were started by all replicas, in the order of time.
 *
 * <p>Thread rule: immutable.
 */
public record Starts(List<Start> all) {
  private static final String KIND = "starts";

  /** A retry that was started. */
  public record Start(String replica, long nanos) {}

  public Starts {
    all = List.copyOf(all);
  }

  /** Returns the file of a process, such as {@code r0-1}. */
  public static Path file(Path folder, String process) {
    return Recordings.file(folder, KIND, process);
  }

  /** Reads what all processes have recorded so far. */
  public static Starts read(Path folder) throws IOException {
    List<Start> all = new ArrayList<>();
    new Recordings()
        .next(folder, KIND)
        .forEach((process, lines) -> {
          String replica = process.substring(0, process.lastIndexOf('-'));
          lines.forEach(line -> all.add(new Start(replica, Long.parseLong(line))));
        });
    all.sort(Comparator.comparingLong(Start::nanos));
    return new Starts(all);
  }

  /** Returns those from one time to another. */
  public Starts between(long from, long to) {
    return new Starts(
        all.stream().filter(start -> start.nanos() >= from && start.nanos() < to).toList());
  }

  public int count() {
    return all.size();
  }

  /** Finds the window in which the promise was broken most, or was nearest to it. */
  public WindowChecker.Window worst(Budget budget) {
    return worst(List.of(new WindowChecker.Limit(0, budget.rate(), budget.burst())));
  }

  /** Finds the same with limits that changed. */
  public WindowChecker.Window worst(List<WindowChecker.Limit> limits) {
    long[] times = all.stream().mapToLong(Start::nanos).toArray();
    return WindowChecker.worst(times, times.length, limits);
  }

  /** Returns the largest number of starts in any window of a length. */
  public int mostWithin(Duration window) {
    int most = 0;
    int first = 0;
    for (int i = 0; i < all.size(); i++) {
      while (all.get(i).nanos() - all.get(first).nanos() >= window.toNanos()) {
        first++;
      }
      most = Math.max(most, i - first + 1);
    }
    return most;
  }

  /**
   * Returns the longest time in which less than half of the rate was used, to a tenth of a second: the time in which a fault was noticeable.
   */
  public Duration longestLull(Budget budget, long from, long to) {
    long step = Duration.ofMillis(100).toNanos();
    // Ten retries are enough to distinguish half of the rate from all of it.
    long window = Math.max(Duration.ofSeconds(1).toNanos(), (long) (10e9 / budget.rate()));
    double half = budget.rate() * window / 1e9 / 2;
    long longest = 0;
    long since = from;
    int first = 0;
    int next = 0;
    for (long at = from + window; at <= to; at += step) {
      while (next < all.size() && all.get(next).nanos() < at) {
        next++;
      }
      while (first < next && all.get(first).nanos() < at - window) {
        first++;
      }
      if (next - first < half) {
        longest = Math.max(longest, at - since);
      } else {
        since = at;
      }
    }
    return Duration.ofNanos(longest);
  }

  /** Returns the longest time in which nothing was started, the ends of the time included. */
  public Duration longestPause(long from, long to) {
    long longest = 0;
    long last = from;
    for (Start start : between(from, to).all()) {
      longest = Math.max(longest, start.nanos() - last);
      last = start.nanos();
    }
    return Duration.ofNanos(Math.max(longest, to - last));
  }

  /** Returns how many each replica has started. */
  public Map<String, Integer> perReplica() {
    Map<String, Integer> counts = new TreeMap<>();
    all.forEach(start -> counts.merge(start.replica(), 1, Integer::sum));
    return counts;
  }

  /**
   * Returns how far the replica that is furthest from an equal share is from it, as a part of that
   * share; one that started nothing is 1 away.
   */
  public double unfairness(List<String> replicas) {
    Map<String, Integer> counts = perReplica();
    double share =
        replicas.stream().mapToInt(name -> counts.getOrDefault(name, 0)).average().orElse(0);
    if (share == 0) {
      return 1;
    }
    return replicas.stream()
            .mapToDouble(name -> Math.abs(counts.getOrDefault(name, 0) - share))
            .max()
            .orElse(0)
        / share;
  }
}
