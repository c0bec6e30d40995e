// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Cause;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The names that the definitions of one group have; used once, one thread. */
final class NameClaims {
  /**
   * The names that a definition receives; immutable apart from its tree.
   *
   * @param accepted the names it has from now on
   * @param conflict reason why it did not get all of them, as in {@code KindConflict}, or empty
   * @param message the reason in words
   */
  record Verdict(ObjectNode accepted, String conflict, String message) {}

  private final Set<String> resources = new HashSet<>();
  private final Set<String> kinds = new HashSet<>();
  private String conflict = "";
  private String message = "no conflicts found";

  /** Adds the names another definition has been given. */
  void add(JsonNode accepted) {
    resources.add(Json.text(accepted, "plural"));
    resources.add(Json.text(accepted, "singular"));
    accepted.path("shortNames").forEach(name -> resources.add(name.asText()));
    kinds.add(Json.text(accepted, "kind"));
    kinds.add(Json.text(accepted, "listKind"));
  }

  /**
   * Gives a definition the names that no other one has; of several conflicts the last is reported.
   */
  Verdict claim(JsonNode wanted, JsonNode before) {
    ObjectNode accepted = Json.object();
    one("plural", "PluralConflict", wanted, before, resources, accepted);
    one("singular", "SingularConflict", wanted, before, resources, accepted);
    shortNames(wanted, before, accepted);
    one("kind", "KindConflict", wanted, before, kinds, accepted);
    one("listKind", "ListKindConflict", wanted, before, kinds, accepted);
    if (wanted.has("categories")) {
      accepted.set("categories", wanted.get("categories").deepCopy());
    }
    return new Verdict(accepted, conflict, message);
  }

  private void one(
      String field,
      String reason,
      JsonNode wanted,
      JsonNode before,
      Set<String> used,
      ObjectNode accepted) {
    String name = Json.text(wanted, field);
    String had = Json.text(before, field);
    boolean taken = !name.equals(had) && used.contains(name);
    if (taken) {
      refuse(reason, List.of(name));
    }
    String given = taken ? had : name;
    if (!given.isEmpty() || field.equals("plural") || field.equals("kind")) {
      accepted.put(field, given);
    }
  }

  private void shortNames(JsonNode wanted, JsonNode before, ObjectNode accepted) {
    Set<String> had = new HashSet<>(Json.texts(before.path("shortNames")));
    List<String> taken = new ArrayList<>();
    for (JsonNode name : wanted.path("shortNames")) {
      if (!had.contains(name.asText()) && resources.contains(name.asText())) {
        taken.add(name.asText());
      }
    }
    if (!taken.isEmpty()) {
      refuse("ShortNamesConflict", taken);
    }
    JsonNode names = (taken.isEmpty() ? wanted : before).path("shortNames");
    if (names.isArray()) {
      accepted.set("shortNames", names.deepCopy());
    }
  }

  private void refuse(String reason, List<String> names) {
    conflict = reason;
    List<String> texts = names.stream().map(n -> Cause.quote(n) + " is already in use").toList();
    message = texts.size() == 1 ? texts.getFirst() : "[" + String.join(", ", texts) + "]";
  }
}
