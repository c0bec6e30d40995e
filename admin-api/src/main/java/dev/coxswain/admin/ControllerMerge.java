// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * One controller of what several replicas say of it. Counts are added up, ages are the largest,
 * times the earliest; what cannot be added up, such as settings, is that of the first.
 */
final class ControllerMerge {

  /** Which state of the parts that run is told of the whole: the first of these. */
  private static final List<String> STATES = List.of("syncing", "draining", "stopped", "running");

  private static final List<String> SUMS =
      List.of("total", "failing", "dirty", "overdue", "activeWorkers");
  private static final List<String> SUMS_INSIDE = List.of("counts", "totals");
  private static final List<String> LARGEST =
      List.of("oldestReadySeconds", "longestInFlightSeconds", "asOfSeq");
  private static final List<String> EARLIEST = List.of("nextReadyAt", "asOf");
  private static final List<String> OF_PARTS =
      List.of(
          "replica",
          "state",
          "error",
          "paused",
          "counts",
          "total",
          "failing",
          "maxConcurrent",
          "activeWorkers",
          "asOfSeq",
          "asOf");

  private ControllerMerge() {}

  /**
   * Puts it together.
   *
   * @param parts what each replica says, the preferred one first; at least one
   */
  static ObjectNode merge(List<ObjectNode> parts) {
    // Where it runs there is more to tell than where it failed to start.
    ObjectNode first =
        parts.stream().min(Comparator.comparing(part -> !part.has("counts"))).orElseThrow();
    List<ObjectNode> running = parts.stream().filter(part -> part.has("counts")).toList();
    ObjectNode whole = first.deepCopy();
    if (running.size() > 1) {
      SUMS.forEach(field -> whole.put(field, sum(running, field)));
      for (String field : SUMS_INSIDE) {
        List<ObjectNode> inner = inner(running, field);
        ObjectNode sums = whole.putObject(field);
        first.path(field).fieldNames().forEachRemaining(name -> sums.put(name, sum(inner, name)));
      }
      throughput(whole, running);
      LARGEST.forEach(field -> largest(whole, running, field));
      EARLIEST.forEach(field -> earliest(whole, running, field));
      whole.put("paused", running.stream().anyMatch(part -> part.path("paused").asBoolean()));
      running.stream()
          .map(part -> part.get("pause"))
          .filter(Objects::nonNull)
          .findFirst()
          .ifPresent(pause -> whole.set("pause", pause));
    }
    if (parts.size() > 1 && !running.isEmpty()) {
      whole.put(
          "state",
          running.stream()
              .map(part -> part.path("state").asText())
              .min(Comparator.comparingInt(STATES::indexOf))
              .orElseThrow());
    }
    ArrayNode shown = whole.putArray("parts");
    parts.stream()
        .sorted(Comparator.comparing(part -> part.path("replica").asText()))
        .forEach(part -> shown.add(part.deepCopy().retain(OF_PARTS)));
    return whole;
  }

  private static List<ObjectNode> inner(List<ObjectNode> parts, String field) {
    return parts.stream()
        .map(part -> part.get(field))
        .filter(ObjectNode.class::isInstance)
        .map(ObjectNode.class::cast)
        .toList();
  }

  private static long sum(List<ObjectNode> parts, String field) {
    return parts.stream().mapToLong(part -> part.path(field).asLong()).sum();
  }

  /** Adds rates up, window by window; null where nobody knows. */
  private static void throughput(ObjectNode whole, List<ObjectNode> running) {
    List<ObjectNode> rates = inner(running, "throughput");
    if (whole.get("throughput") instanceof ObjectNode windows) {
      for (String window : windows.properties().stream().map(Map.Entry::getKey).toList()) {
        rates.stream()
            .map(part -> part.path(window))
            .filter(JsonNode::isNumber)
            .mapToDouble(JsonNode::asDouble)
            .reduce(Double::sum)
            .ifPresent(sum -> windows.put(window, sum));
      }
    }
  }

  private static void largest(ObjectNode whole, List<ObjectNode> parts, String field) {
    parts.stream()
        .map(part -> part.get(field))
        .filter(Objects::nonNull)
        .max(Comparator.comparingDouble(JsonNode::asDouble))
        .ifPresent(value -> whole.set(field, value));
  }

  private static void earliest(ObjectNode whole, List<ObjectNode> parts, String field) {
    parts.stream()
        .map(part -> part.get(field))
        .filter(Objects::nonNull)
        .min(Comparator.comparing(value -> Durations.parseTime(value.asText()).orElse(Instant.MAX)))
        .ifPresent(value -> whole.set(field, value));
  }
}
