// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.spec;

import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Field;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Rules of the volumes of a pod; any thread. */
final class VolumeCheck {
  /** The field that a source needs. */
  private static final Map<String, String> NEEDED =
      Map.of(
          "configMap", "name",
          "secret", "secretName",
          "hostPath", "path",
          "persistentVolumeClaim", "claimName");

  private VolumeCheck() {}

  /** Checks all volumes; returns the names of the valid ones. */
  static Set<String> check(Field volumes) {
    Set<String> names = new HashSet<>();
    for (Field volume : volumes) {
      Causes causes = volume.causes();
      int before = causes.size();
      sources(volume);
      Field name = volume.at("name");
      if (name.required()) {
        name.label();
      }
      if (causes.size() == before || names.contains(name.text())) {
        name.unique(names);
      }
    }
    return names;
  }

  private static void sources(Field volume) {
    int sources = 0;
    for (String kind : volume.keys()) {
      Field source = volume.at(kind);
      if (kind.equals("name")) {
        continue;
      }
      if (++sources > 1) {
        source.forbidden("may not specify more than 1 volume type");
        continue;
      }
      if (NEEDED.containsKey(kind)) {
        source.at(NEEDED.getOrDefault(kind, "")).required();
      }
      source
          .at("defaultMode")
          .range(0, 511, "must be a number between 0 and 0777 (octal), both inclusive");
      source.at("items").forEach(VolumeCheck::item);
    }
    if (sources == 0) {
      volume.missing("must specify a volume type");
    }
  }

  private static void item(Field item) {
    if (item.at("fieldRef").given() || item.at("resourceFieldRef").given()) {
      return;
    }
    item.at("key").required();
    Field path = item.at("path");
    if (path.required()) {
      if (path.text().startsWith("/")) {
        path.invalidText("must be a relative path");
      }
      if (List.of(path.text().split("/", -1)).contains("..")) {
        path.invalidText("must not contain '..'");
      }
    }
  }
}
