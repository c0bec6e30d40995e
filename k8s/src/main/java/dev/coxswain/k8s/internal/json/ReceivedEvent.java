// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.json;

import com.google.gson.JsonParseException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An event of a watch.
 *
 * <p>Thread rule: that of its object.
 *
 * @param type {@code ADDED}, {@code MODIFIED}, {@code DELETED}, {@code BOOKMARK} or {@code ERROR}
 * @param object the object, or the Status of an error
 */
public record ReceivedEvent(String type, ReceivedObject object) {

  private static final Set<String> CHANGES = Set.of("ADDED", "MODIFIED", "DELETED");

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
    return of(text, from, end, false);
  }

  /**
   * Reads an event like {@link #of(byte[], int, int)}, of which all is there. What follows the
   * metadata of a changed object is read when it is needed, and faults in it are found then: of a
   * foreign object it never is.
   */
  public static @Nullable ReceivedEvent ofLine(byte[] text, int from, int end) {
    return of(text, from, end, true);
  }

  private static @Nullable ReceivedEvent of(byte[] text, int from, int end, boolean whole) {
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
        object = new ReceivedObject(text, reader, whole && CHANGES.contains(type));
        if (!object.isRead()) {
          break;
        }
      } else {
        reader.skipValue();
      }
    }
    if (object == null || object.isRead()) {
      reader.expectEnd();
    }
    return type.isEmpty() || object == null ? null : new ReceivedEvent(type, object);
  }
}
