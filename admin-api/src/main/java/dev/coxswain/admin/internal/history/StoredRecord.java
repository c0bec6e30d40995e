// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A stored audit record. Immutable; its JSON must not be changed.
 *
 * @param position its position in the list
 * @param json the record as the API shows it, with the name of its replica
 */
public record StoredRecord(Position position, ObjectNode json) {

  /** The runs of replicas are named so. */
  private static final Pattern RUN = Pattern.compile("[0-9a-f]{16}");

  /** Returns the record of an entry, or empty when the entry is none. */
  static Optional<StoredRecord> of(JsonNode entry) {
    String run = entry.path("run").asText();
    if (!RUN.matcher(run).matches()
        || !(entry.path("record") instanceof ObjectNode json)
        || !json.path("replica").isTextual()) {
      return Optional.empty();
    }
    try {
      Instant at = Instant.parse(json.path("at").asText());
      return Optional.of(new StoredRecord(new Position(at, run, json.path("seq").asLong()), json));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  /** Returns the value of a field, or an empty text. */
  public String text(String field) {
    return json.path(field).asText();
  }

  /**
   * A position in the list of stored records, which is the same on every replica. Immutable.
   *
   * @param at the time of a record
   * @param run the run of its replica; empty for the position before all older records
   * @param seq its number in that run
   */
  public record Position(Instant at, String run, long seq) implements Comparable<Position> {

    private static final Pattern FORM =
        Pattern.compile("(-?[0-9]{1,11})_([0-9]{1,9})_([0-9a-f]{0,16})_([0-9]{1,18})");

    private static final Comparator<Position> OLDEST_FIRST =
        Comparator.comparing(Position::at)
            .thenComparing(Position::run)
            .thenComparingLong(Position::seq);

    /** Returns the position before all records that are older than a time. */
    public static Position before(Instant time) {
      return new Position(time, "", 0);
    }

    /** Reads a position; empty for a text that is none. */
    public static Optional<Position> parse(String text) {
      Matcher form = FORM.matcher(text);
      if (!form.matches()) {
        return Optional.empty();
      }
      try {
        Instant at =
            Instant.ofEpochSecond(Long.parseLong(form.group(1)), Long.parseLong(form.group(2)));
        return Optional.of(new Position(at, form.group(3), Long.parseLong(form.group(4))));
      } catch (DateTimeException e) {
        return Optional.empty();
      }
    }

    /** The youngest first. */
    @Override
    public int compareTo(Position other) {
      return OLDEST_FIRST.compare(other, this);
    }

    /** Returns it as {@link #parse} reads it. */
    @Override
    public String toString() {
      return at.getEpochSecond() + "_" + at.getNano() + "_" + run + "_" + seq;
    }
  }
}
