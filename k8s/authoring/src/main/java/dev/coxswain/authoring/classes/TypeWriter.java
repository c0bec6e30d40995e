// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.classes;

import static dev.coxswain.authoring.classes.ClassWriter.member;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.Json;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** The Java types of a schema; those that must be declared are written into the class around them. */
final class TypeWriter {

  /** Names that would hide types that generated code uses. */
  static final Set<String> USED =
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

  /** A constructor has 255 slots: one is the object itself, and {@code long} and {@code double} take two. */
  private static final int SLOTS = 254;

  /** A class with more fields, and an enum with more constants, exceed the tables of a class file. */
  private static final int MOST_MEMBERS = 1_000;

  /** The longest name of a nested class with those around it: it is the name of a file. */
  private static final int LONGEST_NAME = 150;

  private static final int DEEPEST = 10;

  /** Longer strings do not fit into a class file. */
  private static final int LONGEST_CONSTANT = 10_000;

  private final Set<String> imports;
  private final Scope outermost;

  /** The names of all types of the file, and of those that were moved to the outermost class. */
  private final Set<String> allNames = new HashSet<>();

  private final Set<String> moved = new HashSet<>();
  private final Deque<String> around = new ArrayDeque<>();
  private Scope scope;

  /** What one class must declare. */
  private static final class Scope {
    private final LinkedHashMap<String, JsonObject> pending = new LinkedHashMap<>();
    private final Set<String> names = new HashSet<>();
  }

  TypeWriter(Set<String> imports, String outermost) {
    this.imports = imports;
    this.outermost = new Scope();
    this.scope = this.outermost;
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
    if (Json.text(schema, "x-kubernetes-int-or-string").equals("true")) {
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
      return isEnumeration(schema) ? declared(name, schema) : "String";
    }
    return switch (Json.text(schema, "format")) {
      case "date-time" -> imported("java.time.OffsetDateTime");
      case "date" -> imported("java.time.LocalDate");
      case "byte" -> "byte[]";
      default -> "String";
    };
  }

  private String object(String name, JsonObject schema) {
    int fields = member(schema, "properties").size();
    if (fields > 0 && fields <= MOST_MEMBERS) {
      return declared(name, schema);
    }
    JsonObject values = member(schema, "additionalProperties");
    return imported("java.util.Map")
        + "<String, "
        + (values.isEmpty() ? "Object" : boxedType(singular(name), values))
        + ">";
  }

  /** Whether constants can be made of the values: all are text or null, and there are not too many. */
  private static boolean isEnumeration(JsonObject schema) {
    List<JsonElement> values =
        schema.getAsJsonArray("enum").asList().stream().filter(one -> !one.isJsonNull()).toList();
    return !values.isEmpty()
        && values.size() <= MOST_MEMBERS
        && values.stream()
            .allMatch(
                one -> one.isJsonPrimitive() && one.getAsString().length() < LONGEST_CONSTANT);
  }

  /** Returns the name of a record, class or enum that is written at the end of the class around it. */
  private String declared(String name, JsonObject schema) {
    String simple = JavaNames.type(name);
    Scope in = scope;
    int length = around.stream().mapToInt(one -> one.length() + 1).sum() + simple.length();
    boolean move = around.size() >= DEEPEST || length > LONGEST_NAME;
    if (move) {
      in = outermost;
    } else if ((isOneOf(around, simple) || isOneOf(USED, simple))
        && around.element().length() + simple.length() <= JavaNames.LONGEST) {
      simple = around.element() + simple;
    }
    String chosen =
        JavaNames.free(simple, one -> move ? isOneOf(allNames, one) || taken(one) : taken(one));
    if (move) {
      moved.add(chosen);
    }
    allNames.add(chosen);
    in.names.add(chosen);
    in.pending.put(chosen, schema);
    return chosen;
  }

  private boolean taken(String name) {
    return isOneOf(scope.names, name)
        || isOneOf(around, name)
        || isOneOf(USED, name)
        || isOneOf(moved, name);
  }

  /** Names that differ by their case only have one class file on some file systems. */
  private static boolean isOneOf(Collection<String> names, String name) {
    return names.stream().anyMatch(name::equalsIgnoreCase);
  }

  /** Writes the declarations that the types since the last call need. */
  void writePending(SourceText body) {
    Scope written = scope;
    while (!written.pending.isEmpty()) { // more may come to the outermost
      Map.Entry<String, JsonObject> next = written.pending.pollFirstEntry();
      String name = next.getKey();
      JsonObject schema = next.getValue();
      scope = new Scope();
      around.push(name);
      body.line("");
      if (schema.has("enum")) {
        enumeration(body, name, schema);
      } else if (slots(schema) > SLOTS) {
        nestedClass(body, name, schema);
      } else {
        record(body, name, schema);
      }
      around.pop();
    }
    scope = written;
  }

  /** Returns the slots of a constructor, at most. */
  private static int slots(JsonObject schema) {
    return member(schema, "properties").entrySet().stream()
        .map(one -> Json.text(one.getValue().getAsJsonObject(), "type"))
        .mapToInt(type -> type.equals("integer") || type.equals("number") ? 2 : 1)
        .sum();
  }

  /** Writes what a constructor has not enough parameters for. */
  private void nestedClass(SourceText body, String name, JsonObject schema) {
    body.javadoc(
        description(name, schema),
        Map.of(),
        "<p>A class, since a record cannot have so many components.");
    body.line("public static final class " + name + " {");
    body.indent();
    fields(body, member(schema, "properties"), Set.of());
    writePending(body);
    body.outdent();
    body.line("}");
  }

  private static String description(String name, JsonObject schema) {
    String text = Json.text(schema, "description");
    return text.isBlank() ? name + "." : text;
  }

  /**
   * Writes fields with their methods.
   *
   * @param reserved names that no method may have
   */
  void fields(SourceText body, JsonObject properties, Set<String> reserved) {
    Map<String, String> types = new TreeMap<>();
    properties
        .entrySet()
        .forEach(one ->
            types.put(one.getKey(), type(one.getKey(), one.getValue().getAsJsonObject(), true)));
    if (!types.isEmpty()) {
      imports.add("org.jspecify.annotations.Nullable");
    }
    Map<String, String> names =
        JavaNames.distinct(types.keySet(), reserved, JavaNames::capitalized);
    types.forEach((name, type) -> {
      String field = names.getOrDefault(name, name);
      body.line("");
      String annotation = renamed(name, field);
      if (!annotation.isEmpty()) {
        body.line(annotation.strip());
      }
      body.line("private %s %s;".formatted(nullable(type), field));
    });
    types.forEach((name, type) -> {
      String field = names.getOrDefault(name, name);
      body.line("");
      body.comment("Returns {@code " + field + "}, or null.");
      body.line("public %s %s() {".formatted(nullable(type), field));
      body.line("  return " + field + ";");
      body.line("}");
      body.line("");
      body.comment("Sets {@code " + field + "}.");
      body.line(
          "public void set%s(%s value) {".formatted(JavaNames.capitalized(field), nullable(type)));
      body.line("  " + (field.equals("value") ? "this." : "") + field + " = value;");
      body.line("}");
    });
  }

  private void record(SourceText body, String name, JsonObject schema) {
    Set<String> required = new HashSet<>();
    if (schema.get("required") != null) {
      schema.getAsJsonArray("required").forEach(one -> required.add(one.getAsString()));
    }
    Map<String, String> comments = new LinkedHashMap<>();
    Map<String, String> names =
        JavaNames.distinct(
            member(schema, "properties").keySet(), Set.of(), UnaryOperator.identity());
    List<String> components = new ArrayList<>();
    for (Map.Entry<String, JsonElement> one : member(schema, "properties").entrySet()) {
      JsonObject of = one.getValue().getAsJsonObject();
      boolean present =
          (required.contains(one.getKey())
                  || (of.has("default") && !of.get("default").isJsonNull()))
              && !Json.text(of, "nullable").equals("true")
              && !mayBeNull(of);
      String component = names.getOrDefault(one.getKey(), one.getKey());
      String type = type(one.getKey(), of, !present);
      if (!present) {
        imports.add("org.jspecify.annotations.Nullable");
        type = nullable(type);
      }
      comments.put(component, Json.text(of, "description"));
      components.add(renamed(one.getKey(), component) + type + " " + component);
    }
    body.javadoc(description(name, schema), comments, "");
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
    body.javadoc(description(name, schema), Map.of(), "");
    body.line("public enum " + name + " {");
    Set<String> constants = new HashSet<>();
    Set<String> values = new HashSet<>();
    List<String> lines = new ArrayList<>();
    for (JsonElement one : schema.getAsJsonArray("enum")) {
      if (one.isJsonNull() || !values.add(one.getAsString())) {
        continue;
      }
      String value = one.getAsString();
      String constant = JavaNames.free(JavaNames.constant(value), taken -> !constants.add(taken));
      lines.add(renamed(value, constant) + constant);
    }
    for (int i = 0; i < lines.size(); i++) {
      body.line("  " + lines.get(i) + (i == lines.size() - 1 ? "" : ","));
    }
    body.line("}");
  }

  private static boolean mayBeNull(JsonObject schema) {
    return schema.get("enum") instanceof JsonArray values
        && values.asList().stream().anyMatch(JsonElement::isJsonNull);
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
