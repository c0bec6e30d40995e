// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The last event id of each replica that a client has received, in the form
 * {@code replica=id,replica=id}, which is the id of the merged stream. A client returns it in a
 * header, so its length is bounded: replicas that do not fit, or whose names are no header text,
 * start from the beginning again. Confined to the admin event loop.
 */
final class LastEventIds {

  /** The longest id, in characters: some forty replicas. */
  static final int MAX_LENGTH = 2048;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,253}");
  private static final Pattern EVENT_ID = Pattern.compile("[0-9a-f]{16}-[0-9]{1,18}");

  private final TreeMap<String, String> ids = new TreeMap<>(); // by replica

  /** Parses an id; ignores malformed parts. */
  static LastEventIds of(@Nullable String id) {
    LastEventIds read = new LastEventIds();
    if (id != null && id.length() <= MAX_LENGTH) {
      for (String part : id.split(",", -1)) {
        int equals = part.indexOf('=');
        if (equals > 0) {
          read.put(part.substring(0, equals), part.substring(equals + 1));
        }
      }
    }
    return read;
  }

  /** Returns the last event id of a replica, or null when it is unknown. */
  @Nullable String get(String replica) {
    return ids.get(replica);
  }

  /** Sets the last event id of a replica. */
  void put(String replica, String eventId) {
    if (EVENT_ID.matcher(eventId).matches()
        && (ids.containsKey(replica) || NAME.matcher(replica).matches())) {
      ids.put(replica, eventId);
    }
  }

  /** Removes the last event id of a replica. */
  void remove(String replica) {
    ids.remove(replica);
  }

  /** Returns the id; empty when there is none. */
  String id() {
    StringBuilder id = new StringBuilder();
    ids.forEach((replica, eventId) -> {
      if (id.length() + replica.length() + eventId.length() + 2 <= MAX_LENGTH) {
        id.append(id.isEmpty() ? "" : ",").append(replica).append('=').append(eventId);
      }
    });
    return id.toString();
  }
}
