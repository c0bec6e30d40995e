// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How far a client has heard each replica, which is the id of an event: {@code
 * replica=place,replica=place}. A client sends it back in a header, so it is bounded: replicas that
 * find no room in it, or whose names are no header text, are heard from the beginning again.
 * Confined to the admin event loop.
 */
final class LastEventIds {

  /** The longest id, in characters: some forty replicas. */
  static final int MAX_LENGTH = 2048;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,253}");
  private static final Pattern PLACE = Pattern.compile("[0-9a-f]{16}-[0-9]{1,18}");

  private final TreeMap<String, String> places = new TreeMap<>(); // by replica

  /** Reads an id; what is no place in it is left out. */
  static LastEventIds of(@Nullable String id) {
    LastEventIds read = new LastEventIds();
    if (id != null && id.length() <= MAX_LENGTH) {
      for (String part : id.split(",", -1)) {
        int equals = part.indexOf('=');
        if (equals > 0) {
          read.at(part.substring(0, equals), part.substring(equals + 1));
        }
      }
    }
    return read;
  }

  /** Returns up to where a replica was heard, or null when that is not known. */
  @Nullable String get(String replica) {
    return places.get(replica);
  }

  /** A replica was heard up to a place. */
  void at(String replica, String place) {
    if (PLACE.matcher(place).matches()
        && (places.containsKey(replica) || NAME.matcher(replica).matches())) {
      places.put(replica, place);
    }
  }

  /** What was heard of a replica counts no longer. */
  void forget(String replica) {
    places.remove(replica);
  }

  /** Returns the id; empty when there is none. */
  String id() {
    StringBuilder id = new StringBuilder();
    places.forEach((replica, place) -> {
      if (id.length() + replica.length() + place.length() + 2 <= MAX_LENGTH) {
        id.append(id.isEmpty() ? "" : ",").append(replica).append('=').append(place);
      }
    });
    return id.toString();
  }
}
