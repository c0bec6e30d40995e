// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.model.StatisticsResource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Merges the statistics of a controller from several replicas: the sums of depths and rates, and the
 * largest ages. A point is null when it is null on all replicas.
 *
 * <p>Points are aligned by their age, not by their time, since the clocks of replicas may differ.
 */
public final class StatisticsMerge {

  /** One replica, and by how many steps its last point is older than the youngest one. */
  private record Part(StatisticsResource value, int behind) {}

  private final List<Part> parts;
  private final int points;

  private StatisticsMerge(List<Part> parts, int points) {
    this.parts = parts;
    this.points = points;
  }

  /**
   * Merges the statistics of several replicas.
   *
   * @param replicas the statistics of the same window and step, the preferred ones first; at least
   *     one
   */
  public static StatisticsResource merge(List<StatisticsResource> replicas) {
    StatisticsResource first = replicas.getFirst();
    if (replicas.size() == 1) {
      return first;
    }
    Duration step = Durations.parse(first.step()).orElse(Series.STEP);
    int least = replicas.stream().mapToInt(one -> steps(one, step)).min().orElse(0);
    List<Part> parts =
        replicas.stream().map(one -> new Part(one, steps(one, step) - least)).toList();
    return new StatisticsMerge(parts, first.points()).merged(first, step);
  }

  /** Returns the age of the last point in steps; more than 0 on a delayed replica. */
  private static int steps(StatisticsResource part, Duration step) {
    return (int) Math.min(Series.SLOTS, part.ageSeconds() * 1000 / step.toMillis());
  }

  private StatisticsResource merged(StatisticsResource first, Duration step) {
    Instant end = first.end();
    // Each replica reports the waiters of all for a shared limiter.
    boolean shared = "hazelcast".equals(first.limiterMode());
    Map<String, List<@Nullable Long>> depth = new LinkedHashMap<>();
    for (String phase : first.depth().keySet()) {
      depth.put(phase, combined(one -> one.depth().getOrDefault(phase, List.of()), Long::sum));
    }
    Map<String, List<@Nullable Double>> throughput = new LinkedHashMap<>();
    for (String result : first.throughput().keySet()) {
      throughput.put(
          result, combined(one -> one.throughput().getOrDefault(result, List.of()), Double::sum));
    }
    return new StatisticsResource(
        first.kind(),
        first.controller(),
        first.replica(),
        first.window(),
        first.step(),
        points,
        end == null ? null : end.plus(step.multipliedBy(parts.getFirst().behind())),
        parts.stream().mapToDouble(part -> part.value().ageSeconds()).min().orElse(0),
        depth,
        combined(StatisticsResource::failing, Long::sum),
        combined(StatisticsResource::oldestReadySeconds, Math::max),
        combined(StatisticsResource::limiterWaiters, shared ? Math::max : Long::sum),
        first.limiterMode(),
        throughput,
        null,
        null);
  }

  private <T> List<@Nullable T> combined(
      Function<StatisticsResource, List<@Nullable T>> series, BinaryOperator<T> how) {
    List<@Nullable T> all = new ArrayList<>(points);
    for (int i = 0; i < points; i++) {
      T value = null;
      for (Part part : parts) {
        List<@Nullable T> one = series.apply(part.value());
        int at = i + part.behind();
        T next = at < one.size() ? one.get(at) : null;
        value = value == null ? next : next == null ? value : how.apply(value, next);
      }
      all.add(value);
    }
    return all;
  }
}
