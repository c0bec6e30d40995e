// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.member;

import dev.coxswain.limiter.internal.LimiterStatus.WorstWindow;
import dev.coxswain.limiter.internal.budget.ClusterReport;
import dev.coxswain.limiter.internal.budget.ReplicaReport;
import dev.coxswain.limiter.internal.budget.ReplicaReport.OfLimiter;
import dev.coxswain.limiter.internal.budget.SharedRetryBudget;
import dev.coxswain.limiter.internal.budget.StartLog;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.retry.WindowChecker;
import dev.coxswain.spi.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Exchanges reports with the other replicas and computes the worst window over all of them.
 *
 * <p>Thread rule: one thread.
 */
final class ReportExchange {
  /** After this time without a new report a replica is removed. */
  private static final long GONE_NANOS = 30_000_000_000L;

  /**
   * After this time without a new report nothing waits there: its items wait at their new owners
   * before it is removed.
   */
  private static final long SILENT_NANOS = 5_000_000_000L;

  private static final double NANOS_PER_SECOND = 1e9;

  private final String replica;
  private final Clock clock;
  private final Map<String, Seen> seen = new HashMap<>();
  private final Map<String, Double> largest = new HashMap<>();
  private long sequence;

  /** The hash of a replica's report, and when it last changed, by the local clock. */
  private record Seen(int hash, long at) {}

  ReportExchange(String replica, Clock clock) {
    this.replica = replica;
    this.clock = clock;
  }

  /** Publishes a report of these budgets and updates them with the reports of the others. */
  void exchange(Map<String, byte[]> shared, List<SharedRetryBudget> budgets) {
    long now = clock.nanos();
    List<OfLimiter> own = new ArrayList<>();
    budgets.forEach(budget -> own.add(budget.report(now)));
    ReplicaReport mine = new ReplicaReport(replica, ++sequence, own);
    shared.put(replica, mine.encode());
    List<ReplicaReport> reports = new ArrayList<>();
    Set<String> silent = new HashSet<>();
    reports.add(mine);
    for (Map.Entry<String, byte[]> entry : List.copyOf(shared.entrySet())) {
      if (entry.getKey().equals(replica)) {
        continue;
      }
      int hash =
          Arrays.hashCode(
              entry.getValue()); // also of reports of another version, which are not decoded
      Seen last = seen.get(entry.getKey());
      if (last == null || last.hash != hash) {
        last = new Seen(hash, now);
        seen.put(entry.getKey(), last);
      }
      if (now - last.at > GONE_NANOS) {
        shared.remove(entry.getKey());
        continue;
      }
      ReplicaReport report = ReplicaReport.decode(entry.getValue());
      if (report != null) {
        if (now - last.at > SILENT_NANOS) {
          silent.add(report.replica());
        }
        reports.add(report);
      }
    }
    seen.keySet().removeIf(name -> !shared.containsKey(name)); // other replicas remove reports too
    reports.sort(java.util.Comparator.comparing(ReplicaReport::replica));
    for (SharedRetryBudget budget : budgets) {
      budget.update(of(budget, reports, silent));
    }
  }

  private ClusterReport of(
      SharedRetryBudget budget, List<ReplicaReport> reports, Set<String> silent) {
    List<BudgetSnapshot.Replica> replicas = new ArrayList<>();
    List<OfLimiter> parts = new ArrayList<>();
    int waitingElsewhere = 0;
    int othersWaiting = 0;
    OfLimiter mine = null;
    for (ReplicaReport report : reports) {
      for (OfLimiter part : report.limiters()) {
        if (!part.name().equals(budget.name())) {
          continue;
        }
        int waiting = silent.contains(report.replica()) ? 0 : part.waiting();
        replicas.add(new BudgetSnapshot.Replica(report.replica(), waiting, part.granted()));
        parts.add(part);
        if (report.replica().equals(replica)) {
          mine = part;
        } else {
          waitingElsewhere += waiting;
          othersWaiting += waiting > 0 ? 1 : 0;
        }
      }
    }
    WorstWindow worst = mine == null ? WorstWindow.UNKNOWN : worst(budget, mine, parts);
    return new ClusterReport(replicas, waitingElsewhere, othersWaiting, worst);
  }

  private WorstWindow worst(SharedRetryBudget budget, OfLimiter mine, List<OfLimiter> parts) {
    long[] times = new long[parts.size() * StartLog.SIZE];
    int count = 0;
    int missing = 0;
    long error = 0;
    double rate = budget.spec().rate();
    int burst = budget.spec().burst();
    for (OfLimiter part : parts) {
      if (part.starts().length == 0) {
        continue;
      }
      // With a single replica the local clock is enough.
      if (parts.size() > 1 && !comparable(part, mine)) {
        missing++;
        continue;
      }
      long offset = parts.size() > 1 ? part.offset() : 0;
      error = parts.size() > 1 ? Math.max(error, part.error()) : 0;
      // The limits in force where these retries started; here they may be unknown yet, or over.
      rate = Math.max(rate, part.rate());
      burst = Math.max(burst, part.burst());
      for (long start : part.starts()) {
        times[count++] = start + offset;
      }
    }
    double before = largest.getOrDefault(budget.name(), Double.NaN);
    if (count == 0) {
      return new WorstWindow(Double.NaN, Double.NaN, before, 0, missing);
    }
    Arrays.sort(times, 0, count);
    double excess = WindowChecker.worst(times, count, rate, burst).excess();
    double uncertainty = 2 * error / NANOS_PER_SECOND * rate;
    double certain = excess - uncertainty;
    double most = Double.isNaN(before) ? certain : Math.max(before, certain);
    largest.put(budget.name(), most);
    return new WorstWindow(certain, excess + uncertainty, most, count, missing);
  }

  /** Returns whether both have an offset to the clock of the same process. */
  private static boolean comparable(OfLimiter a, OfLimiter b) {
    return a.error() >= 0
        && b.error() >= 0
        && a.ownerHigh() == b.ownerHigh()
        && a.ownerLow() == b.ownerLow();
  }
}
