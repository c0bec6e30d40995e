// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.WatchStream;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes what the server sends into a cache, or into the snapshot of a list. An object that cannot
 * be read is reported, counted and skipped; it stops nothing.
 *
 * <p>Thread rule: confined to its reflector's thread.
 */
final class Intake<T extends KubernetesObject> {

  private static final Logger log = LoggerFactory.getLogger(Intake.class);
  private static final String INITIAL_EVENTS_END = "k8s.io/initial-events-end";

  private final SharedCache<T> cache;

  Intake(SharedCache<T> cache) {
    this.cache = cache;
  }

  /** Takes an object of a list. */
  void listed(JsonElement item, Snapshot snapshot) {
    Request unread = null;
    try {
      snapshot.put(Entry.of(item, cache.key()));
    } catch (JsonParseException e) {
      unread = report(item, e);
    }
    if (unread != null) {
      snapshot.unreadable(unread);
    }
  }

  /**
   * Takes an event of a streamed list.
   *
   * @return the version to go on from when this was the end of the list, or null
   */
  @Nullable String streamed(WatchStream.Event event, Snapshot snapshot) {
    JsonObject object = event.object();
    switch (event.type()) {
      // The list may take so long that objects change meanwhile.
      case "ADDED", "MODIFIED" -> listed(object, snapshot);
      case "DELETED" -> {
        Request key = keyOf(object);
        if (key != null) {
          snapshot.remove(key);
        }
      }
      case "BOOKMARK" -> {
        if (endsInitialEvents(object)) {
          return Entry.resourceVersionOf(object);
        }
      }
      default -> other(event);
    }
    return null;
  }

  /**
   * Takes an event of a watch.
   *
   * @return the version to resume from, empty when the event does not tell
   */
  String watched(WatchStream.Event event) {
    cache.heard();
    switch (event.type()) {
      case "ADDED", "MODIFIED" -> upsert(event.object());
      case "DELETED" -> remove(event.object());
      case "BOOKMARK" -> {}
      default -> {
        other(event);
        return "";
      }
    }
    return Entry.resourceVersionOf(event.object());
  }

  private void other(WatchStream.Event event) {
    if (event.type().equals("ERROR")) {
      throw ApiStatusException.ofWatchError(event.object());
    }
    log.atWarn()
        .addKeyValue("cache", cache.key())
        .addKeyValue("type", event.type())
        .log("watch event of unknown type skipped");
  }

  private void upsert(JsonObject object) {
    try {
      Entry.Keyed keyed = Entry.of(object, cache.key());
      cache.put(keyed.key(), keyed.entry());
    } catch (JsonParseException e) {
      report(object, e);
    }
  }

  private void remove(JsonObject object) {
    try {
      Entry.Keyed keyed = Entry.of(object, cache.key());
      cache.remove(keyed.key(), keyed.entry());
    } catch (JsonParseException e) {
      Request key = report(object, e);
      if (key != null) {
        cache.remove(key, null);
      }
    }
  }

  private static boolean endsInitialEvents(JsonObject bookmark) {
    return bookmark.get("metadata") instanceof JsonObject metadata
        && metadata.get("annotations") instanceof JsonObject annotations
        && annotations.get(INITIAL_EVENTS_END) != null
        && annotations.get(INITIAL_EVENTS_END).isJsonPrimitive()
        && annotations.get(INITIAL_EVENTS_END).getAsString().equals("true");
  }

  private @Nullable Request report(JsonElement item, JsonParseException cause) {
    Request key = keyOf(item);
    cache.undecodable();
    log.atWarn()
        .addKeyValue("cache", cache.key())
        .addKeyValue("key", key == null ? "unknown" : key)
        .addKeyValue("problem", cause.getMessage())
        .log("object does not fit its class and is skipped");
    return key;
  }

  private static @Nullable Request keyOf(JsonElement item) {
    try {
      return Entry.keyOf(item);
    } catch (JsonParseException e) {
      return null;
    }
  }
}
