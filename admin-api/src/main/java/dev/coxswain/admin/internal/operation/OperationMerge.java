// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.peer.Sums;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Merges the parts of an operation, or of a preview, from several replicas. A part without a report
 * of its replica is {@code Unknown}.
 */
public final class OperationMerge {

  private static final List<String> MORE_COUNTS = List.of("relisted", "notRelisted", "willRelist");
  private static final List<String> COUNTS_INSIDE = List.of("byPhase", "byNamespace");

  /** The fields between replicas, which no response to a caller has. */
  private static final List<String> INTERNAL =
      List.of(OperationView.PARTICIPANTS, OperationView.REFUSALS, OperationView.FINAL_PARTS);

  private static final int MAX_SAMPLE = 10;

  private OperationMerge() {}

  /**
   * Merges an operation.
   *
   * @param found the answers that contain the operation, or its record of a remote one
   * @param all the answers of all replicas
   * @param log receives the final parts, and supplies those of replicas that are gone
   */
  public static ObjectNode operation(
      List<PeerAnswer> found, Collection<PeerAnswer> all, OperationLog log) {
    Map<String, ObjectNode> known = new TreeMap<>();
    Set<String> participants = new TreeSet<>();
    Map<String, String> refusals = new TreeMap<>();
    Map<String, ObjectNode> finals = new TreeMap<>();
    for (PeerAnswer answer : found) {
      ObjectNode operation = answer.json();
      operation
          .path(OperationView.REFUSALS)
          .properties()
          .forEach(one -> refusals.put(one.getKey(), one.getValue().asText()));
      operation
          .path(OperationView.FINAL_PARTS)
          .properties()
          .forEach(one -> {
            if (one.getValue() instanceof ObjectNode part) {
              finals.putIfAbsent(one.getKey(), part);
            }
          });
      operation.path(OperationView.PARTICIPANTS).forEach(name -> participants.add(name.asText()));
      if (!operation.path("state").asText().equals(OperationView.UNKNOWN)) {
        known.put(answer.replica(), operation);
      }
    }
    participants.addAll(known.keySet());
    lastKnown(known, finals, participants, log, found.getFirst().json().path("id").asText());
    List<ObjectNode> parts = List.copyOf(known.values());
    ObjectNode whole =
        (parts.isEmpty()
                ? Collections.min(found, Comparator.comparing(PeerAnswer::replica)).json()
                : parts.getFirst())
            .deepCopy();
    whole.remove(INTERNAL);
    if (parts.size() > 1) {
      addUp(whole, parts, OperationView.COUNTS);
      results(whole, parts);
      concatenate(whole, parts, "members", Integer.MAX_VALUE);
      whole.remove("detail");
      if (parts.stream()
          .anyMatch(part -> part.path(OperationView.RESULT).asText().equals("applied"))) {
        whole.put(OperationView.RESULT, "applied");
      }
      List<String> starts = times(parts, "startedAt");
      List<String> ends = times(parts, "endedAt");
      List<String> expected = times(parts, OperationView.EXPECTED_END);
      if (!starts.isEmpty()) {
        whole.put("startedAt", starts.getFirst());
      }
      if (!ends.isEmpty()) {
        whole.put("endedAt", ends.getLast());
      }
      if (!expected.isEmpty()) {
        whole.put(OperationView.EXPECTED_END, expected.getLast());
      }
    }
    Set<String> states = new LinkedHashSet<>();
    List<String> absent = new ArrayList<>();
    ArrayNode shown = whole.putArray("parts");
    for (String participant : participants) {
      ObjectNode part = known.get(participant);
      String refusal = refusals.get(participant);
      ObjectNode one =
          part != null
              ? part(participant, part)
              : refusal != null
                  ? absent(
                      participant,
                      OperationView.REFUSED,
                      "it did not begin its part (" + refusal + "); nothing was changed there")
                  : absent(participant, OperationView.UNKNOWN, whyUnknown(participant, all));
      if (part == null || !changesNothing(part, parts)) {
        states.add(one.path("state").asText());
      }
      shown.add(one);
      if (part == null) {
        absent.add(
            participant + ": " + one.path("state").asText() + ", " + one.path("detail").asText());
      }
    }
    if (states.contains("Running")) {
      whole.remove("endedAt");
    }
    if (states.isEmpty() || (parts.size() > 1 && unchanged(whole) && succeeded(states))) {
      states = new LinkedHashSet<>(Set.of(Operation.State.FAILED.label()));
      whole.put("detail", Operation.noneOf(whole.path("matched").asInt()));
    } else if (succeeded(states) && whole.path("matched").asInt() == 0) {
      states = new LinkedHashSet<>(Set.of(Operation.State.FAILED.label()));
      whole.put("detail", "no item matches; nothing was changed");
    }
    whole.put("state", state(states));
    if (!parts.isEmpty() && !absent.isEmpty()) {
      // The counts of the whole operation miss these parts.
      String more = parts.size() == 1 ? whole.path("detail").asText() : "";
      String detail = String.join("; ", absent) + (more.isEmpty() ? "" : "; " + more);
      whole.put("detail", Json.line(detail, Json.MAX_ERROR_TEXT));
    }
    return whole;
  }

  /** Whether all items of a part, or of all of them, were skipped: none failed, moved or is left. */
  private static boolean unchanged(ObjectNode operation) {
    return operation.path("matched").asLong() > 0
        && operation.path("skipped").asLong() == operation.path("matched").asLong()
        && operation.path("moved").asLong() == 0
        && operation.path("failed").asLong() == 0
        && operation.path("remaining").asLong() == 0;
  }

  /** Whether a part is Failed only for want of anything to change, which is none of the whole. */
  private static boolean changesNothing(ObjectNode part, List<ObjectNode> parts) {
    return parts.size() > 1
        && part.path("state").asText().equals(Operation.State.FAILED.label())
        && unchanged(part);
  }

  private static boolean succeeded(Set<String> states) {
    return states.equals(Set.of(Operation.State.SUCCEEDED.label()));
  }

  /**
   * Stores the final parts, and adds the last known ones of replicas that no longer report theirs:
   * what is finished does not change when its replica is gone.
   */
  private static void lastKnown(
      Map<String, ObjectNode> known,
      Map<String, ObjectNode> reported,
      Set<String> participants,
      OperationLog log,
      String id) {
    known.forEach((replica, part) -> {
      if (!part.path("state").asText().equals(Operation.State.RUNNING.label())) {
        ObjectNode copy = part.deepCopy();
        copy.remove(INTERNAL);
        copy.remove(List.of(OperationView.RESULT, OperationView.EXPECTED_END)); // of this moment
        log.keepFinal(id, replica, copy);
      }
    });
    reported.forEach((replica, part) -> {
      if (participants.contains(replica)) {
        log.keepFinal(id, replica, part);
      }
    });
    log.finalParts(id)
        .forEach((replica, part) -> {
          if (participants.contains(replica)) {
            known.putIfAbsent(replica, part);
          }
        });
  }

  private static ObjectNode part(String replica, ObjectNode operation) {
    ObjectNode part = Json.object().put("replica", Json.clean(replica));
    part.set("state", operation.get("state"));
    for (String count : OperationView.COUNTS) {
      part.set(count, operation.get(count));
    }
    if (operation.has("detail")) {
      part.set("detail", operation.get("detail"));
    }
    return part;
  }

  private static ObjectNode absent(String replica, String state, String detail) {
    return Json.object()
        .put("replica", Json.clean(replica))
        .put("state", state)
        .put("detail", detail);
  }

  private static String whyUnknown(String replica, Collection<PeerAnswer> all) {
    for (PeerAnswer answer : all) {
      if (answer.replica().equals(replica)) {
        String error = answer.error();
        return error == null ? "it has restarted and has no record of this operation" : error;
      }
    }
    return "it has left";
  }

  /** Returns the state of the whole operation for the states of its parts. */
  private static String state(Set<String> states) {
    if (states.remove(OperationView.REFUSED)) {
      states.add(Operation.State.FAILED.label()); // both changed nothing
    }
    if (states.contains(Operation.State.RUNNING.label())) {
      return Operation.State.RUNNING.label();
    }
    return states.size() == 1
        ? states.iterator().next()
        : states.contains(Operation.State.CANCELLED.label())
                && !states.contains(OperationView.UNKNOWN)
            ? Operation.State.CANCELLED.label()
            : Operation.State.PARTIALLY_SUCCEEDED.label();
  }

  /** Merges the previews of several replicas, by name; at least one. */
  public static ObjectNode preview(Map<String, ObjectNode> parts) {
    List<ObjectNode> all = List.copyOf(parts.values());
    ObjectNode whole = all.getFirst().deepCopy();
    if (all.size() > 1) {
      addUp(whole, all, List.of("matched"));
      concatenate(whole, all, "warnings", MAX_SAMPLE);
      whole.put(
          "asOfSeq", all.stream().mapToLong(one -> one.path("asOfSeq").asLong()).max().orElse(0));
      Sums.putObject(whole, all, "byReplica");
      Map<String, String> tokens = new TreeMap<>();
      parts.forEach((replica, part) -> tokens.put(replica, part.path("confirmToken").asText()));
      whole.put("confirmToken", ConfirmTokens.combine(tokens));
    }
    return whole;
  }

  private static void addUp(ObjectNode whole, List<ObjectNode> parts, List<String> counts) {
    counts.forEach(field -> whole.put(field, Sums.of(parts, field)));
    for (String field : MORE_COUNTS) {
      if (anyHas(parts, field)) {
        whole.put(field, Sums.of(parts, field));
      }
    }
    for (String field : COUNTS_INSIDE) {
      if (anyHas(parts, field)) {
        Sums.putObject(whole, parts, field);
      }
    }
    if (anyHas(parts, "sample")) {
      concatenate(whole, parts, "sample", MAX_SAMPLE);
    }
  }

  private static boolean anyHas(List<ObjectNode> parts, String field) {
    return parts.stream().anyMatch(part -> part.has(field));
  }

  private static void concatenate(
      ObjectNode whole, List<ObjectNode> parts, String field, int most) {
    Set<JsonNode> all = new LinkedHashSet<>();
    parts.forEach(part -> part.path(field).forEach(all::add));
    ArrayNode array = whole.putArray(field);
    all.stream().limit(most).forEach(array::add);
  }

  /** Adds up the counts by result and cause. */
  private static void results(ObjectNode whole, List<ObjectNode> parts) {
    Map<String, ObjectNode> byCause = new LinkedHashMap<>();
    for (ObjectNode part : parts) {
      for (JsonNode result : part.path("byResult")) {
        String cause = result.path("result").asText() + " " + result.path("cause").asText();
        ObjectNode sum =
            byCause.computeIfAbsent(cause, none -> result.<ObjectNode>deepCopy().put("count", 0));
        sum.put("count", sum.path("count").asLong() + result.path("count").asLong());
      }
    }
    ArrayNode results = whole.putArray("byResult");
    byCause.values().forEach(results::add);
  }

  private static List<String> times(List<ObjectNode> parts, String field) {
    return parts.stream()
        .map(part -> part.path(field).textValue())
        .filter(Objects::nonNull)
        .sorted()
        .toList();
  }
}
