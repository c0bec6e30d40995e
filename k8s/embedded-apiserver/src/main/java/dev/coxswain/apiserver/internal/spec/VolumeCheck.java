// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.spec;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Checks;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Rules of the volumes of a pod; any thread. */
final class VolumeCheck {
  private VolumeCheck() {}

  /** Checks all volumes; returns the names of the valid ones. */
  static Set<String> check(JsonNode volumes, String path, Causes causes) {
    Set<String> names = new HashSet<>();
    int i = 0;
    for (JsonNode volume : volumes) {
      String here = path + "[" + i++ + "]";
      String name = Json.text(volume, "name");
      Causes found = new Causes();
      source(volume, here, found);
      if (name.isEmpty()) {
        found.required(here + ".name");
      } else {
        Checks.label(name, here + ".name", found);
      }
      if (names.contains(name)) {
        found.duplicate(here + ".name", Cause.quote(name));
      }
      if (found.isEmpty()) {
        names.add(name);
      }
      causes.addAll(found);
    }
    return names;
  }

  private static void source(JsonNode volume, String path, Causes causes) {
    int sources = 0;
    for (Map.Entry<String, JsonNode> e : volume.properties()) {
      if (e.getKey().equals("name")) {
        continue;
      }
      String here = path + "." + e.getKey();
      if (++sources > 1) {
        causes.forbidden(here, "may not specify more than 1 volume type");
        continue;
      }
      String needed =
          switch (e.getKey()) {
            case "configMap" -> "name";
            case "secret" -> "secretName";
            case "hostPath" -> "path";
            case "persistentVolumeClaim" -> "claimName";
            default -> "";
          };
      if (!needed.isEmpty()) {
        Checks.required(e.getValue(), needed, here + ".", causes);
      }
      mode(e.getValue(), here, causes);
      items(e.getValue().path("items"), here + ".items", causes);
    }
    if (sources == 0) {
      causes.required(path, "must specify a volume type");
    }
  }

  private static void mode(JsonNode source, String path, Causes causes) {
    JsonNode mode = source.path("defaultMode");
    if (mode.isNumber() && (mode.intValue() < 0 || mode.intValue() > 511)) {
      causes.invalid(
          path + ".defaultMode",
          mode.asText(),
          "must be a number between 0 and 0777 (octal), both inclusive");
    }
  }

  private static void items(JsonNode items, String path, Causes causes) {
    int i = 0;
    for (JsonNode item : items) {
      String here = path + "[" + i++ + "].";
      if (item.has("fieldRef") || item.has("resourceFieldRef")) {
        continue;
      }
      Checks.required(item, "key", here, causes);
      if (Checks.required(item, "path", here, causes)) {
        String file = Json.text(item, "path");
        if (file.startsWith("/")) {
          causes.invalidText(here + "path", file, "must be a relative path");
        }
        if (List.of(file.split("/", -1)).contains("..")) {
          causes.invalidText(here + "path", file, "must not contain '..'");
        }
      }
    }
  }
}
