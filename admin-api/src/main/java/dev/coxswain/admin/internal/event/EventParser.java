// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Parses server-sent events from the bytes of a stream, in parts of any size. It reads each byte
 * once and buffers at most one event. Confined to one event loop.
 */
final class EventParser {

  /** The longest event, in bytes. */
  static final int MAX_EVENT = 1024 * 1024;

  private static final byte[] NEXT_LINE = "\ndata: ".getBytes(StandardCharsets.US_ASCII);

  /**
   * One event.
   *
   * @param name the kind of the event
   * @param id its id, or null
   * @param text its lines {@code event} and {@code data}, and the empty line
   */
  record Event(String name, @Nullable String id, Buffer text) {}

  private final Consumer<Event> listener;
  private Buffer line = Buffer.buffer(); // an incomplete line
  private String name = "";
  private @Nullable String id;
  private @Nullable Buffer data;

  EventParser(Consumer<Event> listener) {
    this.listener = listener;
  }

  /** Parses the next bytes; returns false when an event is too long, which ends the stream. */
  boolean take(Buffer part) {
    byte[] bytes = part.getBytes();
    int begin = 0;
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] != '\n') {
        continue;
      }
      if (line.length() == 0) {
        line(bytes, begin, i);
      } else {
        byte[] whole = line.appendBytes(bytes, begin, i - begin).getBytes();
        line = Buffer.buffer();
        line(whole, 0, whole.length);
      }
      begin = i + 1;
    }
    line.appendBytes(bytes, begin, bytes.length - begin);
    return line.length() + (data == null ? 0 : data.length()) <= MAX_EVENT;
  }

  private void line(byte[] bytes, int from, int end) {
    int to = end > from && bytes[end - 1] == '\r' ? end - 1 : end;
    if (to == from) {
      dispatch();
    } else if (begins(bytes, from, to, "data:")) {
      int value = value(bytes, from + "data:".length(), to);
      data = data == null ? Buffer.buffer(to - value) : data.appendBytes(NEXT_LINE);
      data.appendBytes(bytes, value, to - value);
    } else if (begins(bytes, from, to, "event:")) {
      name = text(bytes, value(bytes, from + "event:".length(), to), to);
    } else if (begins(bytes, from, to, "id:")) {
      id = text(bytes, value(bytes, from + "id:".length(), to), to);
    } // comments and unused fields
  }

  private void dispatch() {
    Buffer found = data;
    String kind = name;
    String eventId = id;
    data = null;
    name = "";
    id = null;
    if (found != null) {
      listener.accept(
          new Event(
              kind,
              eventId,
              Buffer.buffer("event: " + kind + "\ndata: ")
                  .appendBuffer(found)
                  .appendString("\n\n")));
    }
  }

  private static boolean begins(byte[] bytes, int from, int to, String field) {
    if (to - from < field.length()) {
      return false;
    }
    for (int i = 0; i < field.length(); i++) {
      if (bytes[from + i] != field.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Returns the index of a value, after an optional space. */
  private static int value(byte[] bytes, int from, int to) {
    return from < to && bytes[from] == ' ' ? from + 1 : from;
  }

  private static String text(byte[] bytes, int from, int to) {
    return new String(bytes, from, to - from, StandardCharsets.UTF_8);
  }
}
