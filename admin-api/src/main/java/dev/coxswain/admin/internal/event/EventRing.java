// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import dev.coxswain.admin.internal.json.Json;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The last events, numbered, and the latest state of each topic and key. Bounded in number and in
 * bytes. Confined to the admin event loop.
 */
final class EventRing {

  static final int MAX_EVENTS = 4096;
  static final int MAX_BYTES = 4 * 1024 * 1024;

  private static final Pattern EVENT_ID = Pattern.compile("([0-9a-f]{16})-([0-9]{1,18})");

  /**
   * One event.
   *
   * @param number consecutive
   * @param topic its topic
   * @param controller its controller, or null
   * @param text its lines {@code event} and {@code data}, and the empty line
   */
  record Event(long number, String topic, @Nullable String controller, Buffer text) {}

  private final String epoch = "%016x".formatted(ThreadLocalRandom.current().nextLong());
  private final ArrayDeque<Event> events = new ArrayDeque<>();
  private final Map<String, Event> states = new LinkedHashMap<>();
  private long last;
  private long bytes;

  /** Returns the number of the youngest event, 0 before the first one. */
  long last() {
    return last;
  }

  /** Returns the latest state of each topic and key. */
  Collection<Event> states() {
    return states.values();
  }

  /**
   * Adds an event that is the new state of its topic and key.
   *
   * @param key identifies the state in its topic, such as the name of a limiter
   * @param controller its controller, or null
   */
  void state(String topic, String name, String key, @Nullable String controller, Object data) {
    states.put(topic + " " + key, add(topic, name, controller, data));
  }

  /** Adds an event after which its topic and key have no state. */
  void removed(String topic, String name, String key, @Nullable String controller, Object data) {
    add(topic, name, controller, data);
    states.remove(topic + " " + key);
  }

  private Event add(String topic, String name, @Nullable String controller, Object data) {
    Event event = new Event(++last, topic, controller, text(name, data));
    events.addLast(event);
    bytes += event.text().length();
    while (events.size() > MAX_EVENTS || bytes > MAX_BYTES) {
      bytes -= events.removeFirst().text().length();
    }
    return event;
  }

  static Buffer text(String name, Object data) {
    return Buffer.buffer("event: " + name + "\ndata: ")
        .appendBytes(Json.write(data)) // one line, as the format requires
        .appendString("\n\n");
  }

  /** Returns the event id of a number, from which a client continues. */
  String eventId(long number) {
    return epoch + "-" + number;
  }

  /** Returns the number of an event id, or null when the events after it are not available. */
  @Nullable Long resume(String eventId) {
    Matcher form = EVENT_ID.matcher(eventId);
    if (!form.matches() || !form.group(1).equals(epoch)) {
      return null;
    }
    long number = Long.parseLong(form.group(2));
    return number <= last && holdsAfter(number) ? number : null;
  }

  /** Returns whether all events after a number are available. */
  boolean holdsAfter(long number) {
    return number >= last - events.size();
  }

  /** Passes the events after a number to the action, the oldest first. */
  void after(long number, Consumer<Event> action) {
    int fresh = (int) Math.min(events.size(), last - number);
    if (fresh <= 0) {
      return;
    }
    if (fresh > events.size() / 2) {
      events.forEach(event -> {
        if (event.number() > number) {
          action.accept(event);
        }
      });
      return;
    }
    ArrayDeque<Event> tail = new ArrayDeque<>(fresh);
    var youngestFirst = events.descendingIterator();
    for (int i = 0; i < fresh; i++) {
      tail.addFirst(youngestFirst.next());
    }
    tail.forEach(action);
  }
}
