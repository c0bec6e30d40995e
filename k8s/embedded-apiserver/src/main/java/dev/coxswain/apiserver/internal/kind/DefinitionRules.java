// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.kind;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.cel.CelException;
import dev.coxswain.apiserver.internal.cel.CelRule;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Cause;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/** Custom resource definitions: names, versions and schemas that can be served; any thread. */
final class DefinitionRules implements KindRules {
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
  public void validate(@Nullable ObjectNode old, ObjectNode definition, List<Cause> causes) {
    JsonNode spec = definition.path("spec");
    JsonNode names = spec.path("names");
    String group = Json.text(spec, "group");
    String plural = Json.text(names, "plural");
    required(spec, "spec.group", "group", causes);
    required(names, "spec.names.plural", "plural", causes);
    required(names, "spec.names.kind", "kind", causes);
    required(spec, "spec.scope", "scope", causes);
    String name = Json.text(definition.get("metadata"), "name");
    if (!name.equals(plural + "." + group)) {
      causes.add(
          Cause.invalidText("metadata.name", name, "must be spec.names.plural+\".\"+spec.group"));
    }
    String scope = Json.text(spec, "scope");
    if (!scope.isEmpty() && !scope.equals("Namespaced") && !scope.equals("Cluster")) {
      causes.add(
          Cause.notSupported("spec.scope", Cause.quote(scope), "\"Cluster\", \"Namespaced\""));
    }
    if (old != null) {
      for (String field : List.of("group", "scope")) {
        if (!Json.text(old.get("spec"), field).equals(Json.text(spec, field))) {
          causes.add(
              Cause.invalidText("spec." + field, Json.text(spec, field), "field is immutable"));
        }
      }
    }
    versions(spec.path("versions"), causes);
    if (Json.text(spec.get("conversion"), "strategy").equals("Webhook")) {
      causes.add(
          Cause.notSupported(
              "spec.conversion.strategy", "\"Webhook\" (embedded API server)", "\"None\""));
    }
  }

  private static void required(JsonNode node, String path, String field, List<Cause> causes) {
    if (Json.text(node, field).isEmpty()) {
      causes.add(Cause.required(path, ""));
    }
  }

  private static void versions(JsonNode versions, List<Cause> causes) {
    int storage = 0;
    int i = 0;
    Set<String> seen = new HashSet<>();
    for (JsonNode version : versions) {
      String path = "spec.versions[" + i++ + "]";
      storage += version.path("storage").asBoolean() ? 1 : 0;
      if (!seen.add(Json.text(version, "name"))) {
        causes.add(
            Cause.invalidText(
                "spec.versions", Json.text(version, "name"), "must contain unique version names"));
      }
      JsonNode schema = version.path("schema").path("openAPIV3Schema");
      if (!schema.isObject()) {
        causes.add(Cause.required(path + ".schema.openAPIV3Schema", "schemas are required"));
      } else {
        if (!Json.text(schema, "type").equals("object")) {
          causes.add(
              Cause.invalidText(
                  path + ".schema.openAPIV3Schema.type",
                  Json.text(schema, "type"),
                  "must be object at the root"));
        }
        patterns(schema, path + ".schema.openAPIV3Schema", causes);
      }
    }
    if (storage != 1) {
      causes.add(
          Cause.invalid(
              "spec.versions",
              "[]",
              "must have exactly one version marked as storage version, found " + storage));
    }
  }

  private static void patterns(JsonNode schema, String path, List<Cause> causes) {
    int i = 0;
    for (JsonNode rule : schema.path("x-kubernetes-validations")) {
      String where = path + ".x-kubernetes-validations[" + i++ + "].rule";
      try {
        String text = Json.text(rule, "rule");
        if (text.isBlank()) {
          causes.add(Cause.required(where, "rule is not specified"));
        } else {
          CelRule.verify(text);
        }
      } catch (CelException e) {
        causes.add(
            Cause.invalidText(
                where, Json.text(rule, "rule"), "compilation failed: " + e.getMessage()));
      }
    }
    String pattern = Json.text(schema, "pattern");
    try {
      if (!pattern.isEmpty()) {
        Pattern compiled = Pattern.compile(pattern);
        assert compiled.flags() == 0;
      }
    } catch (PatternSyntaxException e) {
      causes.add(
          Cause.invalidText(
              path + ".pattern", pattern, "must be a valid regular expression, but isn't"));
    }
    schema
        .path("properties")
        .properties()
        .forEach(e -> patterns(e.getValue(), path + ".properties[" + e.getKey() + "]", causes));
    for (String field : List.of("items", "additionalProperties")) {
      if (schema.path(field).isObject()) {
        patterns(schema.path(field), path + "." + field, causes);
      }
    }
  }
}
