// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.peer.PeerAnswer;
import dev.coxswain.admin.internal.peer.Sums;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Merges a limiter from several replicas. Waiters and grants are added up; rate, burst and tokens are
 * shared, so they are those of the first replica that is not degraded.
 */
public final class LimiterMerge {

  private static final String REPLICAS = "replicas";
  private static final String WAITERS = "waiters";
  private static final String GRANTED = "granted";
  private static final String DENIED = "denied";
  private static final String DEGRADED = "degraded";
  private static final String REASON = "degradedReason";
  private static final String CONSUMERS = "consumers";
  private static final String FLOOR = "floor";

  private LimiterMerge() {}

  /** Merges the answers of replicas with the limiter, the preferred one first; at least one. */
  public static ObjectNode merge(List<PeerAnswer> answers) {
    PeerAnswer first =
        answers.stream()
            .min(Comparator.comparing(one -> one.json().path(DEGRADED).asBoolean())) // stable
            .orElseThrow();
    ObjectNode whole = first.json().deepCopy();
    Map<String, ObjectNode> replicas = new TreeMap<>();
    Map<String, ObjectNode> parts = new TreeMap<>();
    for (PeerAnswer answer : answers) {
      parts.put(answer.replica(), part(answer));
      // The counts that replicas report of others, for replicas without an answer.
      answer
          .json()
          .path(REPLICAS)
          .forEach(one -> replicas.putIfAbsent(one.path("name").asText(), one.deepCopy()));
    }
    List<ObjectNode> others =
        replicas.values().stream()
            .filter(one -> !parts.containsKey(one.path("name").asText()))
            .toList();
    parts.forEach((replica, part) -> {
      if (replicas.containsKey(replica)) {
        replicas.put(replica, counted(replica, part));
      }
    });
    for (String count : List.of(WAITERS, GRANTED)) {
      whole.put(count, Sums.of(parts.values(), count) + Sums.of(others, count));
    }
    whole.put(DENIED, Sums.of(parts.values(), DENIED));
    whole.remove(FLOOR); // of one replica
    parts.values().stream()
        .filter(part -> part.path(DEGRADED).asBoolean())
        .findFirst()
        .ifPresent(part -> {
          whole.put(DEGRADED, true);
          String reason = part.path(REASON).asText();
          whole.put(
              REASON, answers.size() == 1 ? reason : part.path("replica").asText() + ": " + reason);
        });
    ArrayNode known = whole.putArray(REPLICAS);
    replicas.values().forEach(known::add);
    Set<String> consumers = new TreeSet<>();
    parts.values().forEach(part -> part.path(CONSUMERS).forEach(c -> consumers.add(c.asText())));
    ArrayNode users = whole.putArray(CONSUMERS);
    consumers.forEach(users::add);
    ArrayNode shown = whole.putArray("parts");
    parts.values().forEach(shown::add);
    return whole;
  }

  private static ObjectNode part(PeerAnswer answer) {
    ObjectNode limiter = answer.json();
    ObjectNode part = Json.object().put("replica", Json.clean(answer.replica()));
    for (String field : List.of("mode", "capacity", "refillPerSecond", "tokens")) {
      part.set(field, limiter.get(field));
    }
    part.put(WAITERS, waitersHere(answer.replica(), limiter));
    for (String field : List.of(GRANTED, DENIED, FLOOR, DEGRADED, REASON, CONSUMERS)) {
      if (limiter.has(field)) {
        part.set(field, limiter.get(field));
      }
    }
    return part;
  }

  /** A replica reports all waiters, and those of each replica. */
  private static long waitersHere(String replica, ObjectNode limiter) {
    long elsewhere = 0;
    for (JsonNode one : limiter.path(REPLICAS)) {
      if (!one.path("name").asText().equals(replica)) {
        elsewhere += one.path(WAITERS).asLong();
      }
    }
    return Math.max(0, limiter.path(WAITERS).asLong() - elsewhere);
  }

  private static ObjectNode counted(String replica, ObjectNode part) {
    ObjectNode one = Json.object().put("name", Json.clean(replica));
    one.set(WAITERS, part.get(WAITERS));
    one.set(GRANTED, part.get(GRANTED));
    return one;
  }

  /** Adds the states of the answers to the replicas of a limiter. */
  public static void states(ObjectNode limiter, List<PeerAnswer> answers) {
    Map<String, ObjectNode> byName = new TreeMap<>();
    limiter.path(REPLICAS).forEach(one -> byName.put(one.path("name").asText(), one.deepCopy()));
    for (PeerAnswer answer : answers) {
      byName
          .computeIfAbsent(answer.replica(), name -> Json.object().put("name", Json.clean(name)))
          .setAll(answer.toJson());
    }
    ArrayNode replicas = limiter.putArray(REPLICAS);
    byName.values().forEach(replicas::add);
  }
}
