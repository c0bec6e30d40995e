// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.ground;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.client.Json;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What an informer has received: the objects of a collection with their versions.
 *
 * <p>Thread rule: any thread.
 */
final class WatchState {

  private final String path;
  private final Map<String, String> query;
  private final Predicate<String> counts;
  private final Map<String, String> versions = new HashMap<>();
  private boolean listed;
  private long events;

  /**
   * Creates a state before the first list.
   *
   * @param path the path of the collection
   * @param query its selectors
   * @param counts whether an event in a namespace is one of the test
   */
  WatchState(String path, Map<String, String> query, Predicate<String> counts) {
    this.path = path;
    this.query = Map.copyOf(query);
    this.counts = counts;
  }

  String path() {
    return path;
  }

  Map<String, String> query() {
    return query;
  }

  /** Forgets everything: a list follows. */
  synchronized void begin() {
    versions.clear();
    listed = false;
  }

  /** Notes that the resource is not installed. */
  synchronized void absent() {
    begin();
  }

  /** Notes one page of a list. */
  synchronized void page(JsonObject list) {
    if (list.get("items") instanceof JsonArray items) {
      items.forEach(item -> put(item.getAsJsonObject()));
    }
    listed = Json.text(list.get("metadata"), "continue").isEmpty();
  }

  /** Notes one event as the server sent it. */
  synchronized void event(String line) {
    JsonObject event = JsonParser.parseString(line).getAsJsonObject();
    JsonObject object = event.getAsJsonObject("object");
    switch (event.get("type").getAsString()) {
      case "ADDED", "MODIFIED" -> {
        put(object);
        count(object);
      }
      case "DELETED" -> {
        versions.remove(key(object));
        count(object);
      }
      case "BOOKMARK" -> listed |= line.contains("k8s.io/initial-events-end");
      default -> {} // an error, after which another list follows
    }
  }

  private void count(JsonObject object) {
    if (counts.test(Json.text(object.get("metadata"), "namespace"))) {
      events++;
    }
  }

  private void put(JsonObject object) {
    versions.put(key(object), version(object));
  }

  private static String key(JsonObject object) {
    JsonElement metadata = object.get("metadata");
    return Json.text(metadata, "namespace") + "/" + Json.text(metadata, "name");
  }

  private static String version(JsonObject object) {
    return Json.text(object.get("metadata"), "resourceVersion");
  }

  /** Returns how many events of the test it has received. */
  synchronized long events() {
    return events;
  }

  /** Returns what it has not received of a list; empty when it has everything, or later changes. */
  synchronized Optional<String> behind(JsonObject list) {
    if (!listed) {
      return Optional.of("the informer of " + path + " has not read its list");
    }
    Set<String> gone = new HashSet<>(versions.keySet());
    for (JsonElement item : list.getAsJsonArray("items")) {
      JsonObject object = item.getAsJsonObject();
      String key = key(object);
      gone.remove(key);
      String received = versions.get(key);
      if (received == null || isBefore(received, version(object))) {
        return Optional.of(
            "the informer of %s has not received %s v%s".formatted(path, key, version(object)));
      }
    }
    String now = version(list);
    return gone.stream()
        .filter(key -> isBefore(versions.getOrDefault(key, ""), now))
        .findFirst()
        .map(key -> "the informer of %s has not received the deletion of %s".formatted(path, key));
  }

  /** Versions are numbers at every server there is; others are equal or not. */
  private static boolean isBefore(String one, String two) {
    try {
      return Long.parseLong(one) < Long.parseLong(two);
    } catch (NumberFormatException e) {
      return !one.equals(two);
    }
  }
}
