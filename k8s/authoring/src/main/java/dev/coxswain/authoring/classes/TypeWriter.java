// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.classes;

import static dev.coxswain.authoring.classes.ClassWriter.member;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.Json;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The Java types of a schema; those that must be declared are written into the class around them. */
final class TypeWriter {

  /** Names that would hide types that generated code uses. */
  private static final Set<String> USED =
      Set.of(
          "Boolean",
          "CustomObject",
          "Double",
          "IntOrString",
          "Integer",
          "JsonElement",
          "KubernetesResource",
          "List",
          "LocalDate",
          "Long",
          "Map",
          "Nullable",
          "Object",
          "OffsetDateTime",
          "Override",
          "Record",
          "SerializedName",
          "String");

  private static final Map<String, String> PRIMITIVES =
      Map.of("Boolean", "boolean", "Double", "double", "Integer", "int", "Long", "long");

  private final Set<String> imports;
  private final Deque<String> around = new ArrayDeque<>();
  private Scope scope = new Scope();

  /** What one class must declare. */
  private static final class Scope {
    private final Map<String, JsonObject> pending = new LinkedHashMap<>();
    private final Set<String> names = new HashSet<>();
  }

  TypeWriter(Set<String> imports, String outermost) {
    this.imports = imports;
    around.push(outermost);
  }

  /**
   * Returns the type of a property.
   *
   * @param name the name of the property, after which a record is named
   * @param boxed whether it may be absent or is an item
   */
  String type(String name, JsonObject schema, boolean boxed) {
    String type = boxedType(name, schema);
    return boxed ? type : PRIMITIVES.getOrDefault(type, type);
  }

  /** Returns a type with the annotation, which comes before the last name of a qualified one. */
  static String nullable(String type) {
    if (PRIMITIVES.containsValue(type)) {
      return type;
    }
    return type.equals("byte[]") ? "byte @Nullable []" : "@Nullable " + type;
  }

  private String boxedType(String name, JsonObject schema) {
    if (schema.has("x-kubernetes-int-or-string")) {
      return imported("io.kubernetes.client.custom.IntOrString");
    }
    return switch (Json.text(schema, "type")) {
      case "string" -> text(name, schema);
      case "boolean" -> "Boolean";
      case "integer" -> Json.text(schema, "format").equals("int32") ? "Integer" : "Long";
      case "number" -> "Double";
      case "array" ->
          imported("java.util.List")
              + "<"
              + boxedType(singular(name), member(schema, "items"))
              + ">";
      case "object" -> object(name, schema);
      default -> imported("com.google.gson.JsonElement");
    };
  }

  private String text(String name, JsonObject schema) {
    if (schema.has("enum")) {
      return declared(name, schema);
    }
    return switch (Json.text(schema, "format")) {
      case "date-time" -> imported("java.time.OffsetDateTime");
      case "date" -> imported("java.time.LocalDate");
      case "byte" -> "byte[]";
      default -> "String";
    };
  }

  private String object(String name, JsonObject schema) {
    if (!member(schema, "properties").isEmpty()) {
      return declared(name, schema);
    }
    JsonObject values = member(schema, "additionalProperties");
    return imported("java.util.Map")
        + "<String, "
        + (values.isEmpty() ? "Object" : boxedType(singular(name), values))
        + ">";
  }

  /** Returns the name of a record or enum that is written at the end of the class around it. */
  private String declared(String name, JsonObject schema) {
    String simple = SourceText.capitalized(SourceText.identifier(name).replaceAll("_+$", ""));
    String chosen = simple;
    if (around.contains(chosen) || USED.contains(chosen)) {
      chosen = around.peek() + simple;
    }
    for (int i = 2; taken(chosen); i++) {
      chosen = simple + i;
    }
    scope.names.add(chosen);
    scope.pending.put(chosen, schema);
    return chosen;
  }

  private boolean taken(String name) {
    return scope.names.contains(name) || around.contains(name) || USED.contains(name);
  }

  /** Writes the declarations that the types since the last call need. */
  void writePending(SourceText body) {
    Scope written = scope;
    written.pending.forEach((name, schema) -> {
      scope = new Scope();
      around.push(name);
      body.line("");
      if (schema.has("enum")) {
        enumeration(body, name, schema);
      } else {
        record(body, name, schema);
      }
      around.pop();
    });
    scope = written;
  }

  private void record(SourceText body, String name, JsonObject schema) {
    Set<String> required = new HashSet<>();
    if (schema.get("required") != null) {
      schema.getAsJsonArray("required").forEach(one -> required.add(one.getAsString()));
    }
    Map<String, String> comments = new LinkedHashMap<>();
    List<String> components = new ArrayList<>();
    for (Map.Entry<String, JsonElement> one : member(schema, "properties").entrySet()) {
      JsonObject of = one.getValue().getAsJsonObject();
      boolean present =
          (required.contains(one.getKey()) || of.has("default"))
              && !Json.text(of, "nullable").equals("true");
      String component = SourceText.identifier(one.getKey());
      String type = type(one.getKey(), of, !present);
      if (!present) {
        imports.add("org.jspecify.annotations.Nullable");
        type = nullable(type);
      }
      comments.put(component, Json.text(of, "description"));
      components.add(renamed(one.getKey(), component) + type + " " + component);
    }
    body.javadoc(
        Json.text(schema, "description").isEmpty() ? name + "." : Json.text(schema, "description"),
        comments,
        "");
    body.line("public record " + name + "(");
    boolean nested = !scope.pending.isEmpty();
    for (int i = 0; i < components.size(); i++) {
      boolean last = i == components.size() - 1;
      body.line("    " + components.get(i) + (last ? nested ? ") {" : ") {}" : ","));
    }
    if (nested) {
      body.indent();
      writePending(body);
      body.outdent();
      body.line("}");
    }
  }

  private void enumeration(SourceText body, String name, JsonObject schema) {
    body.javadoc(
        Json.text(schema, "description").isEmpty() ? name + "." : Json.text(schema, "description"),
        Map.of(),
        "");
    body.line("public enum " + name + " {");
    Set<String> constants = new LinkedHashSet<>();
    List<String> lines = new ArrayList<>();
    for (JsonElement one : schema.getAsJsonArray("enum")) {
      String value = one.getAsString();
      String base = constant(value);
      String constant = base;
      for (int i = 2; !constants.add(constant); i++) {
        constant = base + "_" + i;
      }
      lines.add(renamed(value, constant) + constant);
    }
    for (int i = 0; i < lines.size(); i++) {
      body.line("  " + lines.get(i) + (i == lines.size() - 1 ? "" : ","));
    }
    body.line("}");
  }

  private static String constant(String value) {
    String upper =
        value
            .replaceAll("([a-z0-9])([A-Z])", "$1_$2")
            .replaceAll("[^A-Za-z0-9_]", "_")
            .toUpperCase(Locale.ROOT);
    return upper.isEmpty() ? "EMPTY" : Character.isDigit(upper.charAt(0)) ? "_" + upper : upper;
  }

  /** Returns the annotation with the name in JSON, if Java's differs. */
  private String renamed(String json, String java) {
    if (json.equals(java)) {
      return "";
    }
    imports.add("com.google.gson.annotations.SerializedName");
    return "@SerializedName(" + SourceText.quoted(json) + ") ";
  }

  private static String singular(String name) {
    return name.length() > 2 && name.endsWith("s") && !name.endsWith("ss")
        ? name.substring(0, name.length() - 1)
        : name + "Item";
  }

  private String imported(String type) {
    imports.add(type);
    return type.substring(type.lastIndexOf('.') + 1);
  }
}
