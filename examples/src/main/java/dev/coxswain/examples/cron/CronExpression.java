// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.cron;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.BitSet;
import java.util.List;

/**
 * The five fields of cron: minute, hour, day of month, month, day of week. A field is {@code *}, a
 * number, a range {@code a-b}, any of those with a step {@code /n}, or several with commas. Sunday
 * is 0 or 7. When both day fields are restricted, a day that matches either is included, as in
 * cron.
 *
 * <p>Thread rule: immutable.
 */
final class CronExpression implements Schedule {

  /** The 29th of February on a certain weekday comes round within 28 years, or 40 around 2100. */
  private static final int YEARS = 41;

  private final String text;
  private final BitSet minutes;
  private final BitSet hours;
  private final BitSet days;
  private final BitSet months;
  private final BitSet weekdays;
  private final boolean eitherDay;

  private CronExpression(String text, List<String> fields) {
    this.text = text;
    this.minutes = field(fields.get(0), 0, 59);
    this.hours = field(fields.get(1), 0, 23);
    this.days = field(fields.get(2), 1, 31);
    this.months = field(fields.get(3), 1, 12);
    this.weekdays = field(fields.get(4), 0, 7);
    if (weekdays.get(7)) {
      weekdays.set(0);
    }
    this.eitherDay = !fields.get(2).startsWith("*") && !fields.get(4).startsWith("*");
  }

  static CronExpression parse(String text) {
    List<String> fields = List.of(text.strip().split("\\s+", -1));
    if (fields.size() != 5) {
      throw new IllegalArgumentException(
          "the cron expression \"" + text + "\" has " + fields.size() + " fields instead of five");
    }
    return new CronExpression(text, fields);
  }

  @Override
  public Instant after(Instant moment) {
    ZonedDateTime from = moment.atZone(ZoneOffset.UTC).plusMinutes(1);
    LocalDate last = from.toLocalDate().plusYears(YEARS);
    int minute = from.getHour() * 60 + from.getMinute();
    for (LocalDate day = from.toLocalDate(); day.isBefore(last); day = day.plusDays(1)) {
      if (months.get(day.getMonthValue()) && fits(day)) {
        for (int m = minute; m < 24 * 60; m++) {
          if (hours.get(m / 60) && minutes.get(m % 60)) {
            return day.atTime(LocalTime.of(m / 60, m % 60)).toInstant(ZoneOffset.UTC);
          }
        }
      }
      minute = 0;
    }
    throw new IllegalStateException("the cron expression \"" + text + "\" matches no date");
  }

  private boolean fits(LocalDate day) {
    boolean ofMonth = days.get(day.getDayOfMonth());
    boolean ofWeek = weekdays.get(day.getDayOfWeek().getValue() % 7);
    return eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
  }

  private BitSet field(String field, int min, int max) {
    BitSet values = new BitSet();
    for (String part : field.split(",", -1)) {
      String[] stepped = part.split("/", 2);
      int step = stepped.length == 2 ? number(stepped[1], 1, max, field) : 1;
      int from;
      int to;
      if (stepped[0].equals("*")) {
        from = min;
        to = max;
      } else {
        String[] range = stepped[0].split("-", 2);
        from = number(range[0], min, max, field);
        to =
            range.length == 2
                ? number(range[1], from, max, field)
                : stepped.length == 2 ? max : from;
      }
      for (int value = from; value <= to; value += step) {
        values.set(value);
      }
    }
    return values;
  }

  private int number(String digits, int min, int max, String field) {
    if (digits.matches("\\d{1,2}")) {
      int value = Integer.parseInt(digits);
      if (value >= min && value <= max) {
        return value;
      }
    }
    throw new IllegalArgumentException(
        "the field \""
            + field
            + "\" of the cron expression \""
            + text
            + "\" has \""
            + digits
            + "\" where a number from "
            + min
            + " to "
            + max
            + " is expected");
  }

  @Override
  public String toString() {
    return text;
  }
}
