// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.resource.Series;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;

/**
 * The statistics of one controller of what several replicas say. Depths and rates are added up,
 * ages are the largest; a point is null where nobody knows.
 *
 * <p>Points are put together by how long ago they were, which each replica tells by its own clock:
 * all have been asked at the same time, and their wall clocks need not agree.
 */
final class StatisticsMerge {

  private static final String THROUGHPUT = "throughput";
  private static final String WAITERS = "limiterWaiters";

  /** What one replica says, and how many steps its last point is behind the last one of all. */
  private record Said(ObjectNode json, int behind) {}

  private final List<Said> said;
  private final int points;

  private StatisticsMerge(List<Said> said, int points) {
    this.said = said;
    this.points = points;
  }

  /**
   * Puts it together.
   *
   * @param parts what each replica says of the same window and step, the preferred one first; at
   *     least one
   */
  static ObjectNode merge(List<ObjectNode> parts) {
    ObjectNode whole = parts.getFirst().deepCopy();
    if (parts.size() == 1) {
      return whole;
    }
    Duration step = Durations.parse(whole.path("step").asText()).orElse(Series.STEP);
    int least = parts.stream().mapToInt(part -> old(part, step)).min().orElse(0);
    List<Said> said = parts.stream().map(part -> new Said(part, old(part, step) - least)).toList();
    new StatisticsMerge(said, whole.path("points").asInt()).into(whole);
    Durations.parseTime(whole.path("end").asText())
        .map(end -> end.plus(step.multipliedBy(said.getFirst().behind())))
        .map(Instant::toString)
        .ifPresent(end -> whole.put("end", end));
    whole.put("ageSeconds", parts.stream().mapToDouble(StatisticsMerge::age).min().orElse(0));
    return whole;
  }

  private static double age(ObjectNode part) {
    return part.path("ageSeconds").asDouble();
  }

  /** A replica that was held up has not sampled for more than a step. */
  private static int old(ObjectNode part, Duration step) {
    return (int) Math.min(Series.SLOTS, age(part) * 1000 / step.toMillis());
  }

  private void into(ObjectNode whole) {
    for (Map.Entry<String, JsonNode> phase : whole.path("depth").properties()) {
      combine(whole, "/depth/" + phase.getKey(), Double::sum, true);
    }
    combine(whole, "/failing", Double::sum, true);
    combine(whole, "/oldestReadySeconds", Math::max, false);
    // Who waits for a limiter that the replicas share is told by each of all.
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
      for (Said one : said) {
        JsonNode point = one.json().at(pointer).path(i + one.behind());
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
