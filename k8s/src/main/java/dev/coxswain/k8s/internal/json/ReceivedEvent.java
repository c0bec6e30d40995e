// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.json;

import com.google.gson.JsonParseException;
import org.jspecify.annotations.Nullable;

/**
 * An event of a watch.
 *
 * <p>Thread rule: immutable.
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
    JsonScanner scanner = new JsonScanner(line);
    if (scanner.peek() != '{') {
      scanner.skipValue();
      scanner.expectEnd();
      return null;
    }
    String type = "";
    ReceivedObject object = null;
    scanner.expect('{');
    for (boolean more = scanner.nextMember(true); more; more = scanner.nextMember(false)) {
      String member = scanner.name("type", "object");
      if (member.equals("type")) {
        type = scanner.scalar();
      } else if (member.equals("object") && scanner.peek() == '{') {
        object = new ReceivedObject(line, scanner);
      } else {
        scanner.skipValue();
      }
    }
    scanner.expectEnd();
    return type.isEmpty() || object == null ? null : new ReceivedEvent(type, object);
  }
}
