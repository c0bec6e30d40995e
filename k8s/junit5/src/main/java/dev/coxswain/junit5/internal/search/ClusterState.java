// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.search;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import dev.coxswain.junit5.explore.Scenario;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * All objects of all clusters without what is different in every run: uids, versions, times, generated
 * names and addresses of Services.
 *
 * <p>Thread rule: immutable.
 */
final class ClusterState {

  /** Written by the perturbation of a concurrent edit. */
  static final String EDIT = "exploration.coxswain.dev/edit";

  /** A kind for which this may differ is compared as objects with generated names are. */
  private static final String NAME = "metadata.name";

  private static final Set<String> LEFT_OUT = Set.of("Event", "CustomResourceDefinition");
  private static final Set<String> VOLATILE =
      Set.of("uid", "resourceVersion", "creationTimestamp", "managedFields", "generation");
  private static final Pattern TIME =
      Pattern.compile("\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?(Z|[+-]\\d{2}:\\d{2})");
  private static final int LONGEST = 120;

  private final Map<String, JsonObject> objects = new TreeMap<>();

  private ClusterState() {}

  /** An object with its id, which begins with the name of its cluster unless that is the first one. */
  private record Found(String id, JsonObject object) {}

  /** Returns the state of clusters by their names; an empty name is that of the first one. */
  static ClusterState of(Map<String, List<String>> clusters, Scenario scenario) {
    List<Found> parsed = new ArrayList<>();
    Map<String, String> names = new HashMap<>();
    clusters.forEach((cluster, texts) -> {
      for (String text : texts) {
        JsonObject object = JsonParser.parseString(text).getAsJsonObject();
        if (!LEFT_OUT.contains(string(object, "kind"))) {
          JsonObject metadata = object.getAsJsonObject("metadata");
          if (scenario.mayDiffer(string(object, "kind")).contains(NAME)) {
            metadata.addProperty("generateName", "");
          }
          String id = cluster.isEmpty() ? id(object) : cluster + " " + id(object);
          parsed.add(new Found(id, object));
          names.put(string(metadata, "uid"), "uid of " + id);
          address(object).ifPresent(address -> names.put(address, "address of a Service"));
          if (metadata.has("generateName")) {
            names.put(string(metadata, "name"), string(metadata, "generateName") + "*");
          }
        }
      }
    });
    ClusterState state = new ClusterState();
    for (Found one : parsed) {
      List<String> different = scenario.mayDiffer(string(one.object, "kind"));
      JsonObject normal = normal(one.object, names, different);
      int copies = 1;
      while (state.objects.putIfAbsent(copies == 1 ? one.id : one.id + " #" + copies, normal)
          != null) {
        copies++;
      }
    }
    return state;
  }

  /** Returns the address that the server has given to a Service; each run has others. */
  private static Optional<String> address(JsonObject object) {
    return string(object, "kind").equals("Service") && object.get("spec") instanceof JsonObject spec
        ? Optional.of(string(spec, "clusterIP")).filter(ip -> !ip.isEmpty() && !ip.equals("None"))
        : Optional.empty();
  }

  private static String id(JsonObject object) {
    JsonObject metadata = object.getAsJsonObject("metadata");
    String namespace = string(metadata, "namespace");
    String name =
        metadata.has("generateName")
            ? string(metadata, "generateName") + "*"
            : string(metadata, "name");
    return string(object, "kind") + " " + (namespace.isEmpty() ? "" : namespace + "/") + name;
  }

  private static JsonObject normal(
      JsonObject object, Map<String, String> names, List<String> different) {
    JsonObject metadata = object.getAsJsonObject("metadata");
    if (object.get("status") instanceof JsonObject status && metadata.has("generation")) {
      JsonElement observed = status.get("observedGeneration");
      if (observed != null) {
        boolean current = observed.equals(metadata.get("generation"));
        status.addProperty("observedGeneration", current ? "current" : "behind");
      }
    }
    VOLATILE.forEach(metadata::remove);
    if (metadata.get("annotations") instanceof JsonObject annotations) {
      annotations.remove(EDIT);
      if (annotations.isEmpty()) {
        metadata.remove("annotations");
      }
    }
    different.forEach(path -> remove(object, path.split("\\.", -1), 0));
    return replaced(object, names).getAsJsonObject();
  }

  private static void remove(JsonElement within, String[] path, int depth) {
    if (within instanceof JsonArray array) {
      array.forEach(element -> remove(element, path, depth));
    } else if (within instanceof JsonObject map) {
      if (depth == path.length - 1) {
        map.remove(path[depth]);
      } else if (map.get(path[depth]) != null) {
        remove(map.get(path[depth]), path, depth + 1);
      }
    }
  }

  private static JsonElement replaced(JsonElement value, Map<String, String> names) {
    if (value instanceof JsonObject map) {
      JsonObject copy = new JsonObject();
      map.entrySet().forEach(e -> copy.add(e.getKey(), replaced(e.getValue(), names)));
      return copy;
    }
    if (value instanceof JsonArray array) {
      JsonArray copy = new JsonArray();
      array.forEach(element -> copy.add(replaced(element, names)));
      return copy;
    }
    if (value instanceof JsonPrimitive text && text.isString()) {
      String known = names.get(text.getAsString());
      return new JsonPrimitive(
          known != null ? known : TIME.matcher(text.getAsString()).replaceAll("TIME"));
    }
    return value;
  }

  /**
   * Returns the objects that are being deleted and wait for finalizers, unless it is declared that
   * their finalizers may differ.
   */
  List<String> stuck() {
    List<String> found = new ArrayList<>();
    objects.forEach((id, object) -> {
      JsonObject metadata = object.getAsJsonObject("metadata");
      if (metadata.has("deletionTimestamp")
          && metadata.get("finalizers") instanceof JsonArray finalizers
          && !finalizers.isEmpty()) {
        found.add("stuck: " + id + " is deleted and waits for its finalizers " + finalizers);
      }
    });
    return found;
  }

  /**
   * A difference.
   *
   * @param place the object and the path of the field
   * @param text all of it, for people
   */
  record Difference(String place, String text) {

    /** Returns whether one of the two places is the other one, or within it. */
    boolean touches(Difference other) {
      return (place + ".").startsWith(other.place + ".")
          || (other.place + ".").startsWith(place + ".");
    }
  }

  /** Returns how another state differs from this one, which is the reference, for people. */
  List<String> differences(ClusterState other) {
    return differencesOf(other).stream().map(Difference::text).toList();
  }

  /** Returns how another state differs from this one, which is the reference. */
  List<Difference> differencesOf(ClusterState other) {
    List<Difference> found = new ArrayList<>();
    Set<String> all = new LinkedHashSet<>(objects.keySet());
    all.addAll(other.objects.keySet());
    for (String id : all) {
      JsonObject expected = objects.get(id);
      JsonObject actual = other.objects.get(id);
      if (expected == null) {
        found.add(
            new Difference(
                id.replace(' ', '.'), "leaked: " + id + " exists, not in the reference"));
      } else if (actual == null) {
        found.add(
            new Difference(
                id.replace(' ', '.'), "missing: " + id + " does not exist, but in the reference"));
      } else {
        compare(id, "", expected, actual, found);
      }
    }
    return found;
  }

  private static void compare(
      String id,
      String path,
      @Nullable JsonElement expected,
      @Nullable JsonElement actual,
      List<Difference> found) {
    if (Objects.equals(expected, actual)) {
      return;
    }
    if (expected instanceof JsonObject one && actual instanceof JsonObject two) {
      Set<String> names = new LinkedHashSet<>(one.keySet());
      names.addAll(two.keySet());
      for (String name : names) {
        compare(id, path.isEmpty() ? name : path + "." + name, one.get(name), two.get(name), found);
      }
    } else if (expected instanceof JsonArray one
        && actual instanceof JsonArray two
        && one.size() == two.size()) {
      for (int i = 0; i < one.size(); i++) {
        compare(id, path + "." + i, one.get(i), two.get(i), found);
      }
    } else {
      String place = id + " " + path;
      found.add(
          new Difference(
              place.replace(' ', '.'),
              "different: %s is %s, in the reference %s"
                  .formatted(place, shown(actual), shown(expected))));
    }
  }

  private static String shown(@Nullable JsonElement value) {
    String text = value == null ? "absent" : value.toString();
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
  }

  private static String string(JsonObject object, String name) {
    JsonElement value = object.get(name);
    return value instanceof JsonPrimitive ? value.getAsString() : "";
  }
}
