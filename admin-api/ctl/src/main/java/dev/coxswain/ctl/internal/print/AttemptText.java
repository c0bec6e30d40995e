// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The last attempts of an item as a table, the newest first. */
public final class AttemptText {
  private static final List<String> HEADERS =
      List.of("ENDED", "OUTCOME", "TOOK", "WAITED", "WHY", "WRITES", "ERROR");
  private static final double NANOS = 1e9;
  private static final double MILLIS = 1e3;
  private static final double SHORT = 10;

  private AttemptText() {}

  /** Returns the table with a headline; empty without attempts. */
  public static String of(Json explanation, Instant now) {
    List<Json> attempts = explanation.list("attempts");
    if (attempts.isEmpty()) {
      return "";
    }
    Table table = new Table(HEADERS, true);
    attempts.forEach(one -> table.row(row(one, explanation.get("key"), now)));
    return "Last attempts:\n"
        + table.take().lines().map(line -> "  " + line + "\n").collect(Collectors.joining());
  }

  private static List<String> row(Json attempt, Json key, Instant now) {
    boolean removed = attempt.has("by") || !attempt.has("attempt");
    return List.of(
        HumanDuration.relative(attempt.text("endedAt"), now),
        attempt.text("outcome"),
        length(attempt, "tookSeconds"),
        waited(attempt),
        removed ? removal(attempt) : why(attempt, key),
        attempt.text("writes"),
        attempt.text("error"));
  }

  private static String removal(Json attempt) {
    String by = attempt.text("by").isEmpty() ? "" : "by " + attempt.text("by");
    String reason = attempt.text("reason").isEmpty() ? "" : "(" + attempt.text("reason") + ")";
    return (by + " " + reason).strip();
  }

  /** Returns the change, or without one the trigger. */
  private static String why(Json attempt, Json key) {
    List<String> words = new ArrayList<>();
    Json change = attempt.get("change");
    if (change.isPresent()) {
      boolean itself =
          change.text("name").equals(key.text("name"))
              && change.text("namespace").equals(key.text("namespace"));
      words.add(change.text("kind") + (itself ? "" : " " + change.text("name")));
      words.add(change.list("parts").stream().map(Json::asText).collect(Collectors.joining(", ")));
      if (change.has("writer")) {
        words.add("by " + change.text("writer"));
      }
    } else {
      words.add(attempt.text("trigger"));
    }
    if (attempt.has("replica")) {
      words.add("on " + attempt.text("replica"));
    }
    return String.join(" ", words).strip();
  }

  private static String waited(Json attempt) {
    return attempt.has("tokenSeconds")
        ? length(attempt, "tokenSeconds") + " token"
        : length(attempt, "readySeconds");
  }

  private static String length(Json attempt, String field) {
    if (!attempt.has(field)) {
      return "";
    }
    double seconds = attempt.decimal(field);
    return seconds < 1
        ? Math.round(seconds * MILLIS) + "ms"
        : seconds < SHORT
            ? String.format(Locale.ROOT, "%.1fs", seconds)
            : HumanDuration.shown(Duration.ofNanos((long) (seconds * NANOS)));
  }
}
