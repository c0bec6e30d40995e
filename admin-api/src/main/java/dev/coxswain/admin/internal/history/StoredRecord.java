// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.history;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A stored audit record. Immutable.
 *
 * @param position its position in the list
 * @param json the record as the API shows it, with the name of its replica
 */
public record StoredRecord(Position position, AuditResource json) {

  /** The runs of replicas are named so. */
  private static final Pattern RUN = Pattern.compile("[0-9a-f]{16}");

  /**
   * An entry of the store.
   *
   * @param run the run of the replica
   */
  record Entry(String run, AuditResource record) {}

  /** Returns the record of an entry, or empty when the entry is none. */
  @SuppressWarnings("NullAway") // what was read may lack any field
  static Optional<StoredRecord> of(Entry entry) {
    AuditResource record = entry.record();
    return entry.run() == null
            || !RUN.matcher(entry.run()).matches()
            || record == null
            || record.replica() == null
            || record.at() == null
        ? Optional.empty()
        : Optional.of(
            new StoredRecord(new Position(record.at(), entry.run(), record.seq()), record));
  }

  /** Returns the value of a field, or an empty text. */
  public String text(String field) {
    return json.text(field);
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
