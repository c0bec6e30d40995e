// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.events;

import com.google.gson.JsonObject;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** The JSON of Events. */
final class EventJson {

  private static final DateTimeFormatter MICRO_TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);
  private static final int MAX_NAME = 230;

  private static final int MAX_NOTE = 1_024;

  private EventJson() {}

  /** Returns a note cut to the length that servers accept, in bytes of UTF-8. */
  static String note(String text) {
    if (text.length() * 3L <= MAX_NOTE) {
      return text;
    }
    int bytes = 0;
    int end = 0;
    while (end < text.length()) {
      int point = text.codePointAt(end);
      bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
      if (bytes > MAX_NOTE) {
        return text.substring(0, end);
      }
      end += Character.charCount(point);
    }
    return text;
  }

  /** Returns a unique name for an Event about the object, in the usual form. */
  static String name(String object, Instant now) {
    long unique = now.getEpochSecond() * 1_000_000_000L + now.getNano();
    return (object.length() > MAX_NAME ? object.substring(0, MAX_NAME) : object)
        + "."
        + Long.toHexString(unique);
  }

  static JsonObject fresh(String namespace, String name, Instant now, long count) {
    JsonObject metadata = new JsonObject();
    metadata.addProperty("namespace", namespace);
    metadata.addProperty("name", name);
    // Events with a count of one have no series.
    JsonObject event = count > 1 ? series(count, now) : new JsonObject();
    event.addProperty("apiVersion", "events.k8s.io/v1");
    event.addProperty("kind", "Event");
    event.add("metadata", metadata);
    event.addProperty("eventTime", MICRO_TIME.format(now));
    return event;
  }

  static JsonObject series(long count, Instant now) {
    JsonObject series = new JsonObject();
    series.addProperty("count", count);
    series.addProperty("lastObservedTime", MICRO_TIME.format(now));
    JsonObject event = new JsonObject();
    event.add("series", series);
    return event;
  }
}
