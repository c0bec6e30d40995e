// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.peer.Sums;
import dev.coxswain.admin.internal.resource.Unowned;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Merges a controller from several replicas: the sums of the counts, the largest ages, the earliest
 * times, and the settings of the first replica.
 */
final class ControllerMerge {

  /** The state of a part whose sources have not synced in time. */
  private static final String FAILED = "failed";

  /** The whole controller has the first of these states that a running part has. */
  private static final List<String> STATES =
      List.of("syncing", "draining", "stopped", "running", FAILED);

  private static final List<String> SUMS =
      List.of("total", "failing", "terminalEvicted", "dirty", "overdue", "activeWorkers");
  private static final List<String> SUMS_INSIDE = List.of("counts", "totals");
  private static final List<String> LARGEST =
      List.of("oldestReadySeconds", "longestInFlightSeconds", "asOfSeq");
  private static final List<String> EARLIEST = List.of("nextReadyAt", "asOf");
  private static final Comparator<JsonNode> LARGER = Comparator.comparingDouble(JsonNode::asDouble);
  private static final Comparator<JsonNode> EARLIER =
      (one, other) -> Durations.compareTimes(other.asText(), one.asText());
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

  /** Merges the controllers of several replicas, the preferred one first; at least one. */
  static ObjectNode merge(List<ObjectNode> parts) {
    List<ObjectNode> running = new ArrayList<>(parts.size());
    for (ObjectNode part : parts) {
      if (part.has("counts")) {
        running.add(part);
      }
    }
    // A running part is preferred to a failed one, and a failed one to an idle one. Idle parts are
    // shown only when all parts are idle.
    List<ObjectNode> active = parts.stream().filter(part -> !Unowned.isIdle(part)).toList();
    ObjectNode first =
        !running.isEmpty()
            ? running.stream()
                .filter(part -> !part.path("state").asText().equals(FAILED))
                .findFirst()
                .orElse(running.getFirst())
            : active.isEmpty() ? parts.getFirst() : active.getFirst();
    ObjectNode whole = Json.object();
    whole.setAll(first); // nothing inside is changed, only replaced
    if (!running.isEmpty()) {
      whole.put("runningReplicas", running.size());
    }
    if (running.size() > 1) {
      SUMS.forEach(field -> whole.put(field, Sums.of(running, field)));
      SUMS_INSIDE.forEach(field -> Sums.putObject(whole, running, field));
      throughput(whole, running);
      LARGEST.forEach(field -> putMax(whole, running, field, LARGER));
      EARLIEST.forEach(field -> putMax(whole, running, field, EARLIER));
      paused(whole, running);
      conditions(whole, running);
      sources(whole, running);
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

  /** Adds up the rates of each window; null where all are null. */
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

  private static void putMax(
      ObjectNode whole, List<ObjectNode> parts, String field, Comparator<JsonNode> order) {
    JsonNode max = null;
    for (ObjectNode part : parts) {
      JsonNode value = part.get(field);
      if (value != null && (max == null || order.compare(value, max) > 0)) {
        max = value;
      }
    }
    if (max != null) {
      whole.set(field, max);
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

  /** Concatenates the conditions; each names its replica. */
  private static void conditions(ObjectNode whole, List<ObjectNode> parts) {
    ArrayNode all = Json.object().arrayNode();
    parts.forEach(part -> part.path("conditions").forEach(all::add));
    whole.set("conditions", all);
  }

  /**
   * Merges the sources: each that some replica has, with its first problem. It is synced when it is on
   * every replica that has it.
   */
  private static void sources(ObjectNode whole, List<ObjectNode> parts) {
    Map<List<String>, ObjectNode> merged = new LinkedHashMap<>();
    for (ObjectNode part : parts) {
      Map<List<String>, Integer> seen = new HashMap<>(); // several may have one description
      for (JsonNode source : part.path("sources")) {
        String added = source.path("addedAs").asText();
        String description = source.path("description").asText();
        int number = seen.merge(List.of(added, description), 1, Integer::sum);
        ObjectNode one =
            merged.computeIfAbsent(
                List.of(added, description, String.valueOf(number)), _ -> source.deepCopy());
        one.put("synced", one.path("synced").asBoolean() && source.path("synced").asBoolean());
        if (!one.has("problem") && source.has("problem")) {
          one.set("problem", source.get("problem"));
        }
      }
    }
    if (!merged.isEmpty()) {
      ArrayNode all = Json.object().arrayNode();
      merged.values().forEach(all::add);
      whole.set("sources", all);
    }
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
