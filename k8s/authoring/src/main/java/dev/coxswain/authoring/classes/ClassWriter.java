// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.classes;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.Json;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.lang.model.SourceVersion;

/**
 * Writes the class of one version of a custom resource: a subclass of {@link
 * dev.coxswain.k8s.resource.CustomObject} with a record for each object of the schema and an enum for
 * each enumeration; descriptions become Javadoc. What is validated stays in the definition.
 *
 * <p>Thread rule: any thread.
 */
public final class ClassWriter {

  private static final Set<String> OF_EVERY_OBJECT = Set.of("apiVersion", "kind", "metadata");
  private static final String LICENSE_FREE_NOTE =
      "<p>Written by {@code coxswain crd classes}; changes are lost with the next run.";

  private ClassWriter() {}

  /**
   * Returns the source text.
   *
   * @param definition a CustomResourceDefinition of {@code apiextensions.k8s.io/v1}
   * @param version the version, or empty for the one that is stored
   * @param javaPackage the package
   * @throws IllegalArgumentException when it is no such definition, or lacks the version or a schema
   */
  public static String write(JsonObject definition, String version, String javaPackage) {
    JsonObject spec = member(definition, "spec");
    JsonObject names = member(spec, "names");
    JsonObject chosen = version(definition, version);
    JsonObject schema = member(member(chosen, "schema"), "openAPIV3Schema");
    if (schema.isEmpty()) {
      throw new IllegalArgumentException(
          "version %s of %s has no schema".formatted(Json.text(chosen, "name"), name(definition)));
    }
    String kind = className(definition);
    Set<String> imports = new TreeSet<>();
    imports.add("dev.coxswain.k8s.resource.CustomObject");
    imports.add("dev.coxswain.k8s.resource.KubernetesResource");
    TypeWriter types = new TypeWriter(imports, kind);
    SourceText body = new SourceText();
    body.javadoc(
        Json.text(schema, "description").isEmpty() ? kind + "." : Json.text(schema, "description"),
        Map.of(),
        LICENSE_FREE_NOTE);
    body.line("@KubernetesResource(");
    body.line("    group = %s,".formatted(SourceText.quoted(Json.text(spec, "group"))));
    body.line("    version = %s,".formatted(SourceText.quoted(Json.text(chosen, "name"))));
    boolean namespaced = !Json.text(spec, "scope").equals("Cluster");
    body.line(
        "    plural = %s%s"
            .formatted(SourceText.quoted(Json.text(names, "plural")), namespaced ? ")" : ","));
    if (!namespaced) {
      body.line("    namespaced = false)");
    }
    body.line("public final class " + kind + " extends CustomObject {");
    body.indent();
    fields(body, types, schema, imports);
    types.writePending(body);
    body.outdent();
    body.line("}");
    StringBuilder text = new StringBuilder("package " + javaPackage + ";\n\n");
    imports.forEach(name -> text.append("import ").append(name).append(";\n"));
    return text.append('\n').append(body).toString();
  }

  /** Returns the name of the class, which is the kind. */
  public static String className(JsonObject definition) {
    String kind = Json.text(member(member(definition, "spec"), "names"), "kind");
    if (kind.isEmpty()) {
      throw new IllegalArgumentException(
          "not a CustomResourceDefinition: spec.names.kind is missing");
    }
    if (!SourceVersion.isName(kind) || kind.contains(".")) {
      throw new IllegalArgumentException("spec.names.kind is no name of a class: " + kind);
    }
    return kind;
  }

  private static void fields(
      SourceText body, TypeWriter types, JsonObject schema, Set<String> imports) {
    Map<String, String> fields = new TreeMap<>();
    for (Map.Entry<String, JsonElement> one : member(schema, "properties").entrySet()) {
      if (!OF_EVERY_OBJECT.contains(one.getKey())) {
        fields.put(one.getKey(), types.type(one.getKey(), one.getValue().getAsJsonObject(), true));
      }
    }
    if (!fields.isEmpty()) {
      imports.add("org.jspecify.annotations.Nullable");
    }
    fields.forEach((name, type) -> {
      body.line("");
      String field = SourceText.identifier(name);
      if (!field.equals(name)) {
        imports.add("com.google.gson.annotations.SerializedName");
        body.line("@SerializedName(%s)".formatted(SourceText.quoted(name)));
      }
      body.line("private %s %s;".formatted(TypeWriter.nullable(type), field));
    });
    fields.forEach((name, type) -> {
      String field = SourceText.identifier(name);
      body.line("");
      body.comment("Returns {@code " + field + "}, or null.");
      body.line("public %s %s() {".formatted(TypeWriter.nullable(type), field));
      body.line("  return " + field + ";");
      body.line("}");
      body.line("");
      body.comment("Sets {@code " + field + "}.");
      body.line(
          "public void set%s(%s value) {"
              .formatted(SourceText.capitalized(field), TypeWriter.nullable(type)));
      body.line("  " + field + " = value;");
      body.line("}");
    });
  }

  private static JsonObject version(JsonObject definition, String wanted) {
    List<JsonObject> versions =
        member(definition, "spec").get("versions") == null
            ? List.of()
            : member(definition, "spec").getAsJsonArray("versions").asList().stream()
                .map(JsonElement::getAsJsonObject)
                .toList();
    for (JsonObject version : versions) {
      if (wanted.isEmpty()
          ? Json.text(version, "storage").equals("true")
          : Json.text(version, "name").equals(wanted)) {
        return version;
      }
    }
    throw new IllegalArgumentException(
        "%s has %s; its versions are %s"
            .formatted(
                name(definition),
                wanted.isEmpty() ? "no stored version" : "no version \"" + wanted + "\"",
                versions.stream().map(version -> Json.text(version, "name")).toList()));
  }

  private static String name(JsonObject definition) {
    return Json.text(definition.get("metadata"), "name");
  }

  static JsonObject member(JsonObject of, String name) {
    return of.get(name) instanceof JsonObject member ? member : new JsonObject();
  }
}
