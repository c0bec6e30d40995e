// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.spec;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Checks;
import java.util.List;

/** Rules of the environment of a container; any thread. */
final class EnvCheck {
  private static final List<String> FIELDS =
      Json.words(
          """
          metadata.name metadata.namespace metadata.uid spec.nodeName spec.serviceAccountName
          status.hostIP status.hostIPs status.podIP status.podIPs
          """);
  private static final List<String> RESOURCES =
      Json.words(
          """
          limits.cpu limits.ephemeral-storage limits.memory requests.cpu
          requests.ephemeral-storage requests.memory
          """);

  private EnvCheck() {}

  static void check(JsonNode container, String path, Causes causes) {
    int i = 0;
    for (JsonNode env : container.path("env")) {
      String here = path + ".env[" + i++ + "].";
      if (Checks.required(env, "name", here, causes)) {
        name(Json.text(env, "name"), here + "name", causes);
      }
      if (env.has("valueFrom")) {
        source(env, here + "valueFrom", causes);
      }
    }
    i = 0;
    for (JsonNode from : container.path("envFrom")) {
      String here = path + ".envFrom[" + i++ + "].";
      if (!Json.text(from, "prefix").isEmpty()) {
        name(Json.text(from, "prefix"), here + "prefix", causes);
      }
      int sources = 0;
      for (String field : List.of("configMapRef", "secretRef")) {
        if (from.has(field)) {
          sources++;
          if (Checks.required(from.path(field), "name", here + field + ".", causes)) {
            Checks.subdomain(Json.text(from.path(field), "name"), here + field + ".name", causes);
          }
        }
      }
      if (sources != 1) {
        causes.invalidText(
            path + ".envFrom",
            "",
            sources == 0
                ? "must specify one of: `configMapRef` or `secretRef`"
                : "may not have more than one field specified at a time");
      }
    }
  }

  private static void name(String name, String path, Causes causes) {
    if (name.chars().anyMatch(c -> c < ' ' || c > '~' || c == '=')) {
      causes.invalidText(
          path,
          name,
          "a valid environment variable name must consist only of printable ASCII characters other than '='");
    }
  }

  private static void source(JsonNode env, String path, Causes causes) {
    JsonNode from = env.path("valueFrom");
    int sources = 0;
    if (from.has("fieldRef")) {
      sources++;
      field(from.path("fieldRef"), path + ".fieldRef.", causes);
    }
    if (from.has("resourceFieldRef")) {
      sources++;
      JsonNode ref = from.path("resourceFieldRef");
      if (Checks.required(ref, "resource", path + ".resourceFieldRef.", causes)) {
        String resource = Json.text(ref, "resource");
        if (!resource.startsWith("limits.hugepages-")
            && !resource.startsWith("requests.hugepages-")) {
          Checks.oneOf(resource, path + ".resourceFieldRef.resource", RESOURCES, causes);
        }
      }
    }
    for (String field : List.of("configMapKeyRef", "secretKeyRef")) {
      if (from.has(field)) {
        sources++;
        JsonNode ref = from.path(field);
        Checks.subdomain(Json.text(ref, "name"), path + "." + field + ".name", causes);
        if (Checks.required(ref, "key", path + "." + field + ".", causes)) {
          String key = Json.text(ref, "key");
          causes.invalidText(path + "." + field + ".key", key, Checks.configKey(key));
        }
      }
    }
    sources += from.has("fileKeyRef") ? 1 : 0;
    if (sources == 0) {
      causes.invalidText(
          path,
          "",
          "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`");
    } else if (!Json.text(env, "value").isEmpty()) {
      causes.invalidText(path, "", "may not be specified when `value` is not empty");
    } else if (sources > 1) {
      causes.invalidText(path, "", "may not have more than one field specified at a time");
    }
  }

  private static void field(JsonNode ref, String path, Causes causes) {
    if (!Checks.required(ref, "fieldPath", path, causes)) {
      return;
    }
    String field = Json.text(ref, "fieldPath");
    if (field.matches("metadata\\.(annotations|labels)\\['.*'\\]")) {
      return;
    }
    if (!field.matches("(metadata|spec|status)\\.\\w+")) {
      causes.invalidText(
          path + "fieldPath",
          field,
          "error converting fieldPath: field label not supported: " + field);
    } else {
      Checks.oneOf(field, path + "fieldPath", FIELDS, causes);
    }
  }
}
