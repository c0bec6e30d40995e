// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.json;

import com.google.gson.JsonParseException;
import org.jspecify.annotations.Nullable;

/**
 * An event of a watch.
 *
 * <p>Thread rule: immutable, if the text is.
 *
 * @param type {@code ADDED}, {@code MODIFIED}, {@code DELETED}, {@code BOOKMARK} or {@code ERROR}
 * @param object the object, or the Status of an error
 */
public record ReceivedEvent(String type, ReceivedObject object) {

  /**
   * Reads an event.
   *
   * @param line of a watch in UTF-8, which must not be changed after this
   * @return the event, or null when this is JSON, but no event
   * @throws JsonParseException when it is not JSON, such as a line that was cut
   */
  public static @Nullable ReceivedEvent of(byte[] line) {
    return of(line, 0, line.length);
  }

  /**
   * Reads an event.
   *
   * @param text in UTF-8, of which the event is the part from {@code from} to {@code end}; the object
   *     can be read until it is changed
   * @return the event, or null when this is JSON, but no event
   * @throws JsonParseException when it is not JSON, such as a line that was cut
   */
  public static @Nullable ReceivedEvent of(byte[] text, int from, int end) {
    TextReader reader = new TextReader(text, from, end);
    if (reader.peek() != '{') {
      reader.skipValue();
      reader.expectEnd();
      return null;
    }
    String type = "";
    ReceivedObject object = null;
    reader.expect('{');
    for (boolean more = reader.nextMember(true); more; more = reader.nextMember(false)) {
      String member = reader.name("type", "object");
      if (member.equals("type")) {
        type = reader.scalar();
      } else if (member.equals("object") && reader.peek() == '{') {
        object = new ReceivedObject(text, reader);
      } else {
        reader.skipValue();
      }
    }
    reader.expectEnd();
    return type.isEmpty() || object == null ? null : new ReceivedEvent(type, object);
  }
}
