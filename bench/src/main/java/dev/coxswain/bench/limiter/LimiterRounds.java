// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures all kinds of requests in turn, several times. */
public final class LimiterRounds {
  /** How many limiters there are in the one measurement with many. */
  public static final int MANY = 100;

  private static final int WARM_UPS = 2;

  private final List<String> jvm;
  private final int rounds;
  private final long warmMillis;
  private final long millis;
  private final Map<Measured, List<JobReport>> found = new LinkedHashMap<>();

  /**
   * What was measured.
   *
   * @param way the kind of requests
   * @param members in how many processes
   * @param load the amount of requests
   * @param limiters for how many limiters
   */
  public record Measured(String way, int members, Load load, int limiters) {}

  private LimiterRounds(List<String> jvm, int rounds, long warmMillis, long millis) {
    this.jvm = jvm;
    this.rounds = rounds;
    this.warmMillis = warmMillis;
    this.millis = millis;
  }

  /**
   * Measures with one and with three processes.
   *
   * @return by what was measured, a report of each round
   */
  public static Map<Measured, List<JobReport>> inProcesses(
      List<String> jvm, int rounds, long warmMillis, long millis) throws IOException {
    LimiterRounds all = new LimiterRounds(jvm, rounds, warmMillis, millis);
    all.measure(1);
    all.measure(3);
    return all.found;
  }

  /** Runs everything once with one member in this process; shows that it works. */
  public static Map<Measured, List<JobReport>> here(long warmMillis, long millis)
      throws IOException {
    LimiterRounds all = new LimiterRounds(List.of(), 1, warmMillis, millis);
    all.measure(0);
    return all.found;
  }

  private void measure(int processes) throws IOException {
    List<LimiterCluster> clusters = new ArrayList<>();
    try {
      for (List<String> ways : LimiterSubject.WAYS) {
        String way = ways.getFirst();
        clusters.add(
            processes == 0
                ? LimiterCluster.here(way)
                : LimiterCluster.ofProcesses(way, jvm, processes));
      }
      int members = Math.max(1, processes);
      for (int i = 0; i < (processes == 0 ? 0 : WARM_UPS); i++) {
        takeTurns(clusters, members, Load.FULL_SPEED, 1, false);
      }
      for (int round = 0; round < rounds; round++) {
        takeTurns(clusters, members, Load.LIGHT, 1, true);
        takeTurns(clusters, members, Load.SATURATED, 1, true);
        takeTurns(clusters, members, Load.FULL_SPEED, 1, true);
      }
      // Last, since a member looks at each limiter that it has ever seen once in a second.
      for (int round = 0; round < rounds; round++) {
        takeTurns(clusters, members, Load.FULL_SPEED, MANY, true);
      }
    } finally {
      for (LimiterCluster cluster : clusters) {
        cluster.close();
      }
    }
  }

  private void takeTurns(
      List<LimiterCluster> clusters, int members, Load load, int limiters, boolean recorded)
      throws IOException {
    for (int i = 0; i < clusters.size(); i++) {
      for (String way : LimiterSubject.WAYS.get(i)) {
        if (load == Load.SATURATED && way.equals(LimiterSubject.COXSWAIN_CLAIM)) {
          continue; // claims have no lifetime of permits, so their starts have no meaning
        }
        JobReport report = clusters.get(i).run(new Job(way, load, limiters, warmMillis, millis));
        if (recorded) {
          found
              .computeIfAbsent(
                  new Measured(way, members, load, limiters), unknown -> new ArrayList<>())
              .add(report);
        }
      }
    }
  }
}
