// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.json.Durations;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;

/**
 * Merges the statistics of a controller from several replicas: the sums of depths and rates, and the
 * largest ages. A point is null when it is null on all replicas.
 *
 * <p>Points are aligned by their age, not by their time, since the clocks of replicas may differ.
 */
public final class StatisticsMerge {

  private static final String THROUGHPUT = "throughput";
  private static final String WAITERS = "limiterWaiters";

  /** One replica, and by how many steps its last point is older than the youngest one. */
  private record Part(ObjectNode json, int behind) {}

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
  public static ObjectNode merge(List<ObjectNode> replicas) {
    ObjectNode whole = replicas.getFirst().deepCopy();
    if (replicas.size() == 1) {
      return whole;
    }
    Duration step = Durations.parse(whole.path("step").asText()).orElse(Series.STEP);
    int least = replicas.stream().mapToInt(json -> steps(json, step)).min().orElse(0);
    List<Part> parts =
        replicas.stream().map(json -> new Part(json, steps(json, step) - least)).toList();
    new StatisticsMerge(parts, whole.path("points").asInt()).mergeInto(whole);
    Durations.parseTime(whole.path("end").asText())
        .map(end -> end.plus(step.multipliedBy(parts.getFirst().behind())))
        .map(Instant::toString)
        .ifPresent(end -> whole.put("end", end));
    whole.put("ageSeconds", replicas.stream().mapToDouble(StatisticsMerge::age).min().orElse(0));
    return whole;
  }

  private static double age(ObjectNode part) {
    return part.path("ageSeconds").asDouble();
  }

  /** Returns the age of the last point in steps; more than 0 on a delayed replica. */
  private static int steps(ObjectNode part, Duration step) {
    return (int) Math.min(Series.SLOTS, age(part) * 1000 / step.toMillis());
  }

  private void mergeInto(ObjectNode whole) {
    for (Map.Entry<String, JsonNode> phase : whole.path("depth").properties()) {
      combine(whole, "/depth/" + phase.getKey(), Double::sum, true);
    }
    combine(whole, "/failing", Double::sum, true);
    combine(whole, "/oldestReadySeconds", Math::max, false);
    // Each replica reports the waiters of all for a shared limiter.
    boolean shared = whole.path("limiterMode").asText().equals("hazelcast");
    combine(whole, "/" + WAITERS, shared ? Math::max : Double::sum, true);
    for (Map.Entry<String, JsonNode> result : whole.path(THROUGHPUT).properties()) {
      combine(whole, "/" + THROUGHPUT + "/" + result.getKey(), Double::sum, false);
    }
  }

  private void combine(
      ObjectNode whole, String pointer, DoubleBinaryOperator how, boolean integers) {
    if (!(whole.at(pointer) instanceof ArrayNode series)) {
      return;
    }
    series.removeAll();
    for (int i = 0; i < points; i++) {
      double value = Double.NaN;
      for (Part part : parts) {
        JsonNode point = part.json().at(pointer).path(i + part.behind());
        if (point.isNumber()) {
          double next = point.asDouble();
          value = Double.isNaN(value) ? next : how.applyAsDouble(value, next);
        }
      }
      if (Double.isNaN(value)) {
        series.addNull();
      } else if (integers) {
        series.add((long) value);
      } else {
        series.add(value);
      }
    }
  }
}
