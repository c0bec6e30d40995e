// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.store;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.Origin;
import dev.coxswain.spi.MovedAttempts;
import dev.coxswain.view.PastAttempt;
import dev.coxswain.view.PastAttempt.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The past attempts of requests as rows of the state that moves with a slot. */
final class MovedHistory {
  private static final String FIELD = "history";

  private MovedHistory() {}

  /**
   * Adds as much as there is room for.
   *
   * @param replica the replica that ran the attempts which have no other one
   * @param room the maximum number of characters
   * @return how many it has added
   */
  static int add(JsonObject controller, List<MovedAttempts> history, String replica, int room) {
    JsonArray rows = new JsonArray();
    int characters = 0;
    for (MovedAttempts one : history) {
      JsonArray row = new JsonArray();
      row.add(one.namespace());
      row.add(one.name());
      one.attempts().forEach(attempt -> row.add(row(attempt, replica)));
      int length = row.toString().length();
      if (characters + length
          <= room) { // the newest ones come first, and a short one may still fit
        characters += length;
        rows.add(row);
      }
    }
    if (!rows.isEmpty()) {
      controller.add(FIELD, rows);
    }
    return characters;
  }

  private static JsonArray row(PastAttempt past, String replica) {
    JsonArray row = new JsonArray();
    row.add(past.attempt());
    row.add(past.endedAt().toEpochMilli());
    row.add(micros(past.took()));
    row.add(micros(past.ready()));
    row.add(micros(past.token()));
    row.add(past.outcome().label());
    row.add(past.trigger().name());
    row.add(past.writes());
    row.add(past.error());
    row.add(past.cause());
    row.add(past.traceId());
    row.add(past.by());
    row.add(past.reason());
    row.add(past.replica() == null ? replica : past.replica());
    Origin origin = past.origin();
    if (origin != null) {
      row.add(origin.kind());
      row.add(origin.namespace());
      row.add(origin.name());
      row.add(origin.writer());
      origin.changes().forEach(change -> row.add(change.name()));
    }
    return row;
  }

  private static long micros(Duration duration) {
    return duration.toNanos() / 1_000;
  }

  /**
   * Returns the past attempts of the state of a controller. What another version has written and this
   * one cannot read is left out: it is only shown, and must not cost the requests of the slot.
   */
  static List<MovedAttempts> of(JsonObject controller) {
    List<MovedAttempts> found = new ArrayList<>();
    if (controller.has(FIELD) && controller.get(FIELD).isJsonArray()) {
      for (JsonElement element : controller.getAsJsonArray(FIELD)) {
        object(element).ifPresent(found::add);
      }
    }
    return found;
  }

  private static Optional<MovedAttempts> object(JsonElement element) {
    try {
      return Optional.of(object(element.getAsJsonArray()));
    } catch (RuntimeException e) { // see above
      return Optional.empty();
    }
  }

  private static MovedAttempts object(JsonArray row) {
    List<PastAttempt> attempts = new ArrayList<>();
    for (int i = 2; i < row.size() && attempts.size() < PastAttempt.MAX; i++) {
      attempts.add(attempt(row.get(i).getAsJsonArray()));
    }
    return new MovedAttempts(row.get(0).getAsString(), row.get(1).getAsString(), attempts);
  }

  private static PastAttempt attempt(JsonArray row) {
    int at = 0;
    return new PastAttempt(
        row.get(at++).getAsLong(),
        Instant.ofEpochMilli(row.get(at++).getAsLong()),
        duration(row.get(at++)),
        duration(row.get(at++)),
        duration(row.get(at++)),
        outcome(row.get(at++).getAsString()),
        Trigger.valueOf(row.get(at++).getAsString()),
        origin(row),
        row.get(at++).getAsInt(),
        text(row.get(at++)),
        text(row.get(at++)),
        row.get(at++).getAsString(),
        text(row.get(at++)),
        text(row.get(at++)),
        text(row.get(at)));
  }

  private static Duration duration(JsonElement micros) {
    return Duration.ofNanos(micros.getAsLong() * 1_000);
  }

  private static Outcome outcome(String label) {
    for (Outcome outcome : Outcome.values()) {
      if (outcome.label().equals(label)) {
        return outcome;
      }
    }
    throw new IllegalArgumentException(label);
  }

  private static @Nullable String text(JsonElement element) {
    return element.isJsonNull() ? null : element.getAsString();
  }

  private static @Nullable Origin origin(JsonArray row) {
    int at = 14;
    if (row.size() < at + 4) {
      return null;
    }
    Set<Origin.Change> changes = EnumSet.noneOf(Origin.Change.class);
    for (int i = at + 4; i < row.size(); i++) {
      changes.add(Origin.Change.valueOf(row.get(i).getAsString()));
    }
    return new Origin(
        row.get(at).getAsString(),
        row.get(at + 1).getAsString(),
        row.get(at + 2).getAsString(),
        changes,
        row.get(at + 3).getAsString(),
        "");
  }
}
