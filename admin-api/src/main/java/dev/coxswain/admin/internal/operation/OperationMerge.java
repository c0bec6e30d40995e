// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * One operation, or one preview, of what several replicas say of their parts. A part of which its
 * replica says nothing is {@code Unknown}: it is never guessed.
 */
public final class OperationMerge {

  private static final List<String> MORE_COUNTS = List.of("relisted", "notRelisted", "willRelist");
  private static final List<String> COUNTS_INSIDE = List.of("byPhase", "byNamespace");
  private static final int MAX_SAMPLE = 10;

  private OperationMerge() {}

  /**
   * Puts an operation together.
   *
   * @param said what replicas say of it, by their names; what is only noted is among it
   * @param asked all replicas and whether they answered
   */
  public static ObjectNode operation(Map<String, ObjectNode> said, Collection<PeerAnswer> asked) {
    Map<String, ObjectNode> known = new TreeMap<>();
    Set<String> participants = new TreeSet<>();
    Map<String, String> refusals = new TreeMap<>();
    said.forEach((replica, operation) -> {
      operation
          .path(OperationView.REFUSALS)
          .properties()
          .forEach(one -> refusals.put(one.getKey(), one.getValue().asText()));
      operation.path(OperationView.PARTICIPANTS).forEach(name -> participants.add(name.asText()));
      if (!isNote(operation)) {
        known.put(replica, operation);
      }
    });
    participants.addAll(known.keySet());
    List<ObjectNode> parts = List.copyOf(known.values());
    ObjectNode whole =
        (parts.isEmpty() ? said.values().iterator().next() : parts.getFirst()).deepCopy();
    whole.remove(List.of(OperationView.PARTICIPANTS, OperationView.REFUSALS));
    if (parts.size() > 1) {
      addUp(whole, parts, OperationView.COUNTS);
      results(whole, parts);
      concatenated(whole, parts, "members", Integer.MAX_VALUE);
      whole.remove("detail");
      latest(whole, parts);
    }
    List<String> states = new ArrayList<>();
    List<String> absent = new ArrayList<>();
    ArrayNode shown = whole.putArray("parts");
    for (String participant : participants) {
      ObjectNode part = known.get(participant);
      String refusal = refusals.get(participant);
      ObjectNode one =
          part != null
              ? part(participant, part)
              : refusal != null ? refused(participant, refusal) : unknown(participant, asked);
      states.add(one.path("state").asText());
      shown.add(one);
      if (part == null) {
        absent.add(
            participant + ": " + one.path("state").asText() + ", " + one.path("detail").asText());
      }
    }
    whole.put("state", state(states));
    if (!parts.isEmpty() && !absent.isEmpty()) {
      // Or whoever reads only the whole takes its counts for those of all parts.
      String more = parts.size() == 1 ? whole.path("detail").asText() : "";
      String detail = String.join("; ", absent) + (more.isEmpty() ? "" : "; " + more);
      whole.put("detail", Json.line(detail, Json.MAX_ERROR_TEXT));
    }
    if (states.contains("Running")) {
      whole.remove("endedAt");
    }
    return whole;
  }

  private static boolean isNote(JsonNode operation) {
    return operation.path("state").asText().equals(OperationView.UNKNOWN);
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

  private static ObjectNode refused(String replica, String problem) {
    return Json.object()
        .put("replica", Json.clean(replica))
        .put("state", OperationView.REFUSED)
        .put("detail", "it did not begin its part (" + problem + "); nothing was changed there");
  }

  private static ObjectNode unknown(String replica, Collection<PeerAnswer> asked) {
    String why =
        asked.stream()
            .filter(answer -> answer.replica().equals(replica))
            .findFirst()
            .map(answer ->
                answer.error() == null
                    ? "it knows nothing of this operation: it was started again"
                    : answer.error())
            .orElse("it has left");
    return Json.object()
        .put("replica", Json.clean(replica))
        .put("state", OperationView.UNKNOWN)
        .put("detail", why);
  }

  /** Returns what is said of the whole. */
  private static String state(List<String> parts) {
    Set<String> different = new LinkedHashSet<>(parts);
    if (different.remove(OperationView.REFUSED)) {
      different.add(Operation.State.FAILED.label()); // nothing was changed in either
    }
    if (different.contains(Operation.State.RUNNING.label())) {
      return Operation.State.RUNNING.label();
    }
    return different.size() == 1
        ? different.iterator().next()
        : different.contains(Operation.State.CANCELLED.label())
                && !different.contains(OperationView.UNKNOWN)
            ? Operation.State.CANCELLED.label()
            : Operation.State.PARTIALLY_SUCCEEDED.label();
  }

  /**
   * Puts a preview together.
   *
   * @param parts what replicas say, by their names; at least one
   */
  public static ObjectNode preview(Map<String, ObjectNode> parts) {
    List<ObjectNode> all = List.copyOf(parts.values());
    ObjectNode whole = all.getFirst().deepCopy();
    if (all.size() > 1) {
      addUp(whole, all, List.of("matched"));
      concatenated(whole, all, "warnings", MAX_SAMPLE);
      whole.put(
          "asOfSeq", all.stream().mapToLong(one -> one.path("asOfSeq").asLong()).max().orElse(0));
      ObjectNode members = whole.putObject("byReplica");
      Map<String, String> tokens = new TreeMap<>();
      parts.forEach((replica, part) -> {
        part.path("byReplica")
            .properties()
            .forEach(member -> members.set(member.getKey(), member.getValue()));
        tokens.put(replica, part.path("confirmToken").asText());
      });
      whole.put("confirmToken", CombinedToken.of(tokens));
    }
    return whole;
  }

  private static void addUp(ObjectNode whole, List<ObjectNode> parts, List<String> counts) {
    counts.forEach(field -> whole.put(field, sum(parts, field)));
    MORE_COUNTS.stream()
        .filter(field -> parts.stream().anyMatch(part -> part.has(field)))
        .forEach(field -> whole.put(field, sum(parts, field)));
    for (String field : COUNTS_INSIDE) {
      if (parts.stream().noneMatch(part -> part.has(field))) {
        continue;
      }
      Map<String, Integer> sums = new LinkedHashMap<>();
      parts.forEach(part ->
          part.path(field)
              .properties()
              .forEach(
                  count -> sums.merge(count.getKey(), count.getValue().asInt(), Integer::sum)));
      ObjectNode inner = whole.putObject(field);
      sums.forEach(inner::put);
    }
    if (parts.stream().anyMatch(part -> part.has("sample"))) {
      concatenated(whole, parts, "sample", MAX_SAMPLE);
    }
  }

  private static long sum(List<ObjectNode> parts, String field) {
    return parts.stream().mapToLong(part -> part.path(field).asLong()).sum();
  }

  private static void concatenated(
      ObjectNode whole, List<ObjectNode> parts, String field, int most) {
    Set<JsonNode> all = new LinkedHashSet<>();
    parts.forEach(part -> part.path(field).forEach(all::add));
    ArrayNode array = whole.putArray(field);
    all.stream().limit(most).forEach(array::add);
  }

  /** Adds up what was counted by result and its cause. */
  private static void results(ObjectNode whole, List<ObjectNode> parts) {
    Map<String, ObjectNode> byCause = new LinkedHashMap<>();
    for (ObjectNode part : parts) {
      for (JsonNode result : part.path("byResult")) {
        String cause = result.path("result").asText() + " " + result.path("cause").asText();
        ObjectNode sum = byCause.get(cause);
        if (sum == null) {
          byCause.put(cause, result.deepCopy());
        } else {
          sum.put("count", sum.path("count").asLong() + result.path("count").asLong());
        }
      }
    }
    ArrayNode results = whole.putArray("byResult");
    byCause.values().forEach(results::add);
  }

  /** It began with the first part and ended with the last. */
  private static void latest(ObjectNode whole, List<ObjectNode> parts) {
    times(parts, "startedAt").stream()
        .min(String::compareTo)
        .ifPresent(t -> whole.put("startedAt", t));
    times(parts, "endedAt").stream().max(String::compareTo).ifPresent(t -> whole.put("endedAt", t));
  }

  private static List<String> times(List<ObjectNode> parts, String field) {
    return parts.stream()
        .map(part -> part.path(field).textValue())
        .filter(Objects::nonNull)
        .toList();
  }
}
