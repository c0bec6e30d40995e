// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.resource.Unowned;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One controller of what several replicas say of it. Counts are added up, ages are the largest,
 * times the earliest; what cannot be added up, such as settings, is that of the first.
 */
final class ControllerMerge {

  /** Which state of the parts that run is told of the whole: the first of these. */
  private static final List<String> STATES = List.of("syncing", "draining", "stopped", "running");

  private static final List<String> SUMS =
      List.of("total", "failing", "terminalEvicted", "dirty", "overdue", "activeWorkers");
  private static final List<String> SUMS_INSIDE = List.of("counts", "totals");
  private static final List<String> LARGEST =
      List.of("oldestReadySeconds", "longestInFlightSeconds", "asOfSeq");
  private static final List<String> EARLIEST = List.of("nextReadyAt", "asOf");
  private static final Set<String> OF_PARTS =
      Set.of(
          "replica",
          "state",
          "error",
          "since",
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
    List<ObjectNode> running = new ArrayList<>(parts.size());
    for (ObjectNode part : parts) {
      if (part.has("counts")) {
        running.add(part);
      }
    }
    // Where it runs there is more to show than where it failed to start, and there more than where
    // it is idle, which is shown only when that is so everywhere.
    List<ObjectNode> active = parts.stream().filter(part -> !Unowned.isIdle(part)).toList();
    ObjectNode first =
        !running.isEmpty()
            ? running.getFirst()
            : active.isEmpty() ? parts.getFirst() : active.getFirst();
    ObjectNode whole = Json.object();
    whole.setAll(first); // nothing inside is changed, only replaced
    if (running.size() > 1) {
      SUMS.forEach(field -> whole.put(field, sum(running, field)));
      SUMS_INSIDE.forEach(field -> sumsInside(whole, running, field));
      throughput(whole, running);
      LARGEST.forEach(field -> largest(whole, running, field));
      EARLIEST.forEach(field -> earliest(whole, running, field));
      paused(whole, running);
      conditions(whole, running);
    }
    if (active.size() > 1 && !running.isEmpty()) {
      whole.put("state", state(running));
    }
    List<ObjectNode> byReplica = new ArrayList<>(active.isEmpty() ? parts : active);
    byReplica.sort(Comparator.comparing(part -> part.path("replica").asText()));
    ArrayNode shown = whole.putArray("parts");
    byReplica.forEach(part -> shown.add(part(part)));
    return whole;
  }

  private static long sum(List<? extends JsonNode> parts, String field) {
    long sum = 0;
    for (JsonNode part : parts) {
      sum += part.path(field).asLong();
    }
    return sum;
  }

  private static void sumsInside(ObjectNode whole, List<ObjectNode> parts, String field) {
    List<JsonNode> inner = new ArrayList<>(parts.size());
    parts.forEach(part -> inner.add(part.path(field)));
    ObjectNode sums = Json.object();
    for (Map.Entry<String, JsonNode> one : whole.path(field).properties()) {
      sums.put(one.getKey(), sum(inner, one.getKey()));
    }
    whole.set(field, sums);
  }

  /** Adds rates up, window by window; null where nobody knows. */
  private static void throughput(ObjectNode whole, List<ObjectNode> parts) {
    if (!(whole.get("throughput") instanceof ObjectNode windows)) {
      return;
    }
    ObjectNode sums = Json.object();
    for (Map.Entry<String, JsonNode> window : windows.properties()) {
      JsonNode sum = window.getValue();
      for (int i = 1; i < parts.size(); i++) {
        JsonNode rate = parts.get(i).path("throughput").path(window.getKey());
        if (rate.isNumber()) {
          sum = sums.numberNode(rate.asDouble() + (sum.isNumber() ? sum.asDouble() : 0));
        }
      }
      sums.set(window.getKey(), sum);
    }
    whole.set("throughput", sums);
  }

  private static void largest(ObjectNode whole, List<ObjectNode> parts, String field) {
    JsonNode largest = null;
    for (ObjectNode part : parts) {
      JsonNode value = part.get(field);
      if (value != null && (largest == null || value.asDouble() > largest.asDouble())) {
        largest = value;
      }
    }
    if (largest != null) {
      whole.set(field, largest);
    }
  }

  private static void earliest(ObjectNode whole, List<ObjectNode> parts, String field) {
    JsonNode earliest = null;
    for (ObjectNode part : parts) {
      JsonNode value = part.get(field);
      if (value != null
          && (earliest == null || Durations.compareTimes(value.asText(), earliest.asText()) < 0)) {
        earliest = value;
      }
    }
    if (earliest != null) {
      whole.set(field, earliest);
    }
  }

  private static void paused(ObjectNode whole, List<ObjectNode> parts) {
    boolean paused = false;
    JsonNode pause = null;
    for (ObjectNode part : parts) {
      paused |= part.path("paused").asBoolean();
      pause = pause == null ? part.get("pause") : pause;
    }
    whole.put("paused", paused);
    if (pause != null) {
      whole.set("pause", pause);
    }
  }

  /** Joins the standing problems; each names its replica. */
  private static void conditions(ObjectNode whole, List<ObjectNode> parts) {
    ArrayNode all = Json.object().arrayNode();
    parts.forEach(part -> part.path("conditions").forEach(all::add));
    whole.set("conditions", all);
  }

  private static String state(List<ObjectNode> running) {
    String found = running.getFirst().path("state").asText();
    for (ObjectNode part : running) {
      String state = part.path("state").asText();
      if (STATES.indexOf(state) < STATES.indexOf(found)) {
        found = state;
      }
    }
    return found;
  }

  private static ObjectNode part(ObjectNode of) {
    ObjectNode part = Json.object();
    for (Map.Entry<String, JsonNode> one : of.properties()) {
      if (OF_PARTS.contains(one.getKey())) {
        part.set(one.getKey(), one.getValue());
      }
    }
    return part;
  }
}
