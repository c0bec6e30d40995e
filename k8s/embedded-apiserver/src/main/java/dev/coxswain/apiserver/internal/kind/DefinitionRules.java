// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Causes;
import dev.coxswain.apiserver.internal.status.Names;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Custom resource definitions: names, versions and schemas that can be served; any thread. */
final class DefinitionRules implements KindRules {
  private static final String APPROVAL = "api-approved.kubernetes.io";
  private static final List<String> COLUMN_TYPES =
      List.of("boolean", "date", "integer", "number", "string");
  private static final List<String> COLUMN_FORMATS =
      List.of("byte", "date", "date-time", "double", "float", "int32", "int64", "password");

  @Override
  public void defaults(ObjectNode definition) {
    ObjectNode spec = Json.ensure(definition, "spec");
    ObjectNode names = Json.ensure(spec, "names");
    String kind = Json.text(names, "kind");
    if (!kind.isEmpty()) {
      Json.putDefault(names, "singular", kind.toLowerCase(Locale.ROOT));
      Json.putDefault(names, "listKind", kind + "List");
    }
    Json.putDefault(Json.ensure(spec, "conversion"), "strategy", "None");
  }

  @Override
  public void validate(@Nullable ObjectNode old, ObjectNode definition, Causes causes) {
    JsonNode spec = definition.path("spec");
    JsonNode names = spec.path("names");
    String group = Json.text(spec, "group");
    String plural = Json.text(names, "plural");
    String name = Json.text(definition.get("metadata"), "name");
    if (!name.equals(plural + "." + group)) {
      causes.invalidText("metadata.name", name, "must be spec.names.plural+\".\"+spec.group");
    }
    group(definition, group, causes);
    String scope = Json.text(spec, "scope");
    if (scope.isEmpty()) {
      causes.required("spec.scope");
    } else if (!scope.equals("Namespaced") && !scope.equals("Cluster")) {
      causes.notSupported("spec.scope", Cause.quote(scope), "\"Cluster\", \"Namespaced\"");
    }
    if (spec.path("preserveUnknownFields").asBoolean()) {
      causes.invalid("spec.preserveUnknownFields", "true", "must be false");
    }
    versions(spec.path("versions"), causes);
    names(names, causes);
    schemas(spec.path("versions"), causes);
    if (Json.text(spec.get("conversion"), "strategy").equals("Webhook")) {
      causes.notSupported(
          "spec.conversion.strategy", "\"Webhook\" (embedded API server)", "\"None\"");
    }
    if (old != null) {
      immutable(old, spec, causes);
      stored(old, definition, causes);
    }
  }

  private static void group(ObjectNode definition, String group, Causes causes) {
    List<String> problems = group.isEmpty() ? List.of() : Names.subdomain(group);
    if (group.isEmpty()) {
      causes.required("spec.group");
    } else if (!problems.isEmpty()) {
      causes.invalidText("spec.group", group, String.join(",", problems));
    } else if (!group.contains(".")) {
      causes.invalidText("spec.group", group, "should be a domain with at least one dot");
    }
    boolean ours = (group + "/").matches("(.*\\.)?(k8s|kubernetes)\\.io/");
    if (ours && !definition.path("metadata").path("annotations").has(APPROVAL)) {
      causes.required(
          "metadata.annotations[" + APPROVAL + "]",
          "protected groups must have approval annotation \""
              + APPROVAL
              + "\", see https://github.com/kubernetes/enhancements/pull/1111");
    }
  }

  private static void immutable(ObjectNode old, JsonNode spec, Causes causes) {
    JsonNode before = old.path("spec");
    boolean established = false;
    for (JsonNode condition : old.path("status").path("conditions")) {
      established |=
          Json.text(condition, "type").equals("Established")
              && Json.text(condition, "status").equals("True");
    }
    if (established) {
      same(before, spec, "spec.scope", "scope", causes);
      same(before.path("names"), spec.path("names"), "spec.names.kind", "kind", causes);
    }
    same(before, spec, "spec.group", "group", causes);
    same(before.path("names"), spec.path("names"), "spec.names.plural", "plural", causes);
  }

  private static void same(
      JsonNode before, JsonNode now, String path, String field, Causes causes) {
    if (!Json.text(before, field).equals(Json.text(now, field))) {
      causes.invalidText(path, Json.text(now, field), "field is immutable");
    }
  }

  /** A version under which objects are stored must not vanish. */
  private static void stored(ObjectNode old, ObjectNode definition, Causes causes) {
    Set<String> versions = new HashSet<>();
    definition.path("spec").path("versions").forEach(v -> versions.add(Json.text(v, "name")));
    int i = 0;
    for (JsonNode stored : old.path("status").path("storedVersions")) {
      String path = "status.storedVersions[" + i++ + "]";
      if (!versions.contains(stored.asText())) {
        causes.invalidText(path, stored.asText(), "must appear in spec.versions");
      }
    }
  }

  private static void versions(JsonNode versions, Causes causes) {
    int storage = 0;
    int i = 0;
    Set<String> seen = new HashSet<>();
    boolean unique = true;
    for (JsonNode version : versions) {
      String name = Json.text(version, "name");
      storage += version.path("storage").asBoolean() ? 1 : 0;
      unique &= seen.add(name);
      List<String> problems = Names.label1035(name);
      if (!problems.isEmpty()) {
        causes.invalidText("spec.versions[" + i + "].name", name, String.join(",", problems));
      }
      i++;
    }
    if (!unique) {
      causes.invalid("spec.versions", versions.toString(), "must contain unique version names");
    }
    if (storage != 1) {
      causes.invalid(
          "spec.versions",
          versions.toString(),
          "must have exactly one version marked as storage version");
    }
    if (storage == 0) {
      causes.invalid("status.storedVersions", "[]", "must have at least one stored version");
    }
  }

  private static void names(JsonNode names, Causes causes) {
    for (String field : List.of("plural", "singular", "kind", "listKind")) {
      if (Json.text(names, field).isEmpty()) {
        causes.required("spec.names." + field);
      }
    }
    for (String field : List.of("plural", "singular")) {
      name("spec.names." + field, Json.text(names, field), causes);
    }
    for (String field : List.of("kind", "listKind")) {
      String name = Json.text(names, field);
      List<String> problems =
          name.isEmpty() ? List.of() : Names.label1035(name.toLowerCase(Locale.ROOT));
      if (!problems.isEmpty()) {
        causes.invalidText(
            "spec.names." + field,
            name,
            "may have mixed case, but should otherwise match: " + String.join(",", problems));
      }
    }
    for (String field : List.of("shortNames", "categories")) {
      int i = 0;
      for (JsonNode name : names.path(field)) {
        name("spec.names." + field + "[" + i++ + "]", name.asText(), causes);
      }
    }
    String kind = Json.text(names, "kind");
    if (!kind.isEmpty() && kind.equals(Json.text(names, "listKind"))) {
      causes.invalidText("spec.names.listKind", kind, "kind and listKind may not be the same");
    }
  }

  private static void name(String path, String name, Causes causes) {
    List<String> problems = name.isEmpty() ? List.of() : Names.label1035(name);
    if (!problems.isEmpty()) {
      causes.invalidText(path, name, String.join(",", problems));
    }
  }

  /** What all versions share is named as if it stood above them, as the real server does. */
  private static String path(JsonNode versions, int i, String field, String shared, String own) {
    JsonNode first = versions.path(0).path(field);
    boolean same = versions.valueStream().allMatch(v -> v.path(field).equals(first));
    return same ? "spec." + shared : "spec.versions[" + i + "]." + own;
  }

  private static void schemas(JsonNode versions, Causes causes) {
    Set<String> done = new HashSet<>();
    int i = 0;
    for (JsonNode version : versions) {
      JsonNode schema = version.path("schema").path("openAPIV3Schema");
      if (!schema.isObject()) {
        causes.required("spec.versions[" + i + "].schema.openAPIV3Schema", "schemas are required");
      } else {
        String path = path(versions, i, "schema", "validation", "schema") + ".openAPIV3Schema";
        if (done.add(path)) {
          SchemaForm.check(schema, path, causes);
        }
      }
      String sub = path(versions, i, "subresources", "subresources", "subresources");
      if (done.add(sub)) {
        scale(version.path("subresources").path("scale"), sub + ".scale.", causes);
      }
      String columns =
          path(
              versions,
              i,
              "additionalPrinterColumns",
              "additionalPrinterColumns",
              "additionalPrinterColumns");
      if (done.add(columns)) {
        columns(version.path("additionalPrinterColumns"), columns, causes);
      }
      i++;
    }
  }

  private static void scale(JsonNode scale, String path, Causes causes) {
    if (!scale.isObject()) {
      return;
    }
    scalePath(scale, path, "specReplicasPath", ".spec", true, causes);
    scalePath(scale, path, "statusReplicasPath", ".status", true, causes);
    String selector = Json.text(scale, "labelSelectorPath");
    if (!selector.isEmpty() && !selector.startsWith(".spec.")) {
      scalePath(scale, path, "labelSelectorPath", ".status", false, causes);
    }
  }

  private static void scalePath(
      JsonNode scale, String path, String field, String below, boolean required, Causes causes) {
    String value = Json.text(scale, field);
    if (value.isEmpty()) {
      if (required) {
        causes.required(path + field);
      }
    } else if (!value.startsWith(".")) {
      causes.invalidText(path + field, value, "must be a simple json path starting with .");
    } else if (!value.startsWith(below + ".")) {
      causes.invalidText(path + field, value, "should be a json path under " + below);
    }
  }

  private static void columns(JsonNode columns, String path, Causes causes) {
    int i = 0;
    for (JsonNode column : columns) {
      String here = path + "[" + i++ + "].";
      if (Json.text(column, "name").isEmpty()) {
        causes.required(here + "name");
      }
      String type = Json.text(column, "type");
      if (type.isEmpty()) {
        causes.required(here + "type", "must be one of boolean,date,integer,number,string");
      } else if (!COLUMN_TYPES.contains(type)) {
        causes.invalidText(
            here + "type", type, "must be one of boolean,date,integer,number,string");
      }
      String format = Json.text(column, "format");
      if (!format.isEmpty() && !COLUMN_FORMATS.contains(format)) {
        causes.invalidText(
            here + "format", format, "must be one of " + String.join(",", COLUMN_FORMATS));
      }
      String json = Json.text(column, "jsonPath");
      if (json.isEmpty()) {
        causes.required(here + "jsonPath");
      } else if (!json.startsWith(".")) {
        causes.invalidText(here + "jsonPath", json, "must be a simple json path starting with .");
      }
    }
  }
}
