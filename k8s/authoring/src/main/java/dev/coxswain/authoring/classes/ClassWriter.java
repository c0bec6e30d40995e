// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.classes;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.Json;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
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

  /** Methods of the superclass with another type. */
  private static final Set<String> OF_CUSTOM_OBJECT =
      Set.of("getApiVersion", "getKind", "getMetadata");

  /** More exceed the tables of a class file. */
  private static final int MOST_FIELDS = 1_000;

  private ClassWriter() {}

  /**
   * Returns the source text.
   *
   * @param definition a CustomResourceDefinition of {@code apiextensions.k8s.io/v1}
   * @param version the version, or empty for the one that is stored
   * @param javaPackage the package
   * @throws IllegalArgumentException when it is no such definition, lacks the version or a schema, or
   *     has more than a class can have; when the package is no name of one
   */
  public static String write(JsonObject definition, String version, String javaPackage) {
    return write(definition, version, javaPackage, className(definition));
  }

  /**
   * Returns the source text of a class with a name of {@link #classNames}.
   *
   * @throws IllegalArgumentException as {@link #write(JsonObject, String, String)}
   */
  public static String write(
      JsonObject definition, String version, String javaPackage, String className) {
    requirePackage(javaPackage);
    JsonObject spec = member(definition, "spec");
    JsonObject names = member(spec, "names");
    JsonObject chosen = version(definition, version);
    JsonObject schema = member(member(chosen, "schema"), "openAPIV3Schema");
    if (schema.isEmpty()) {
      throw new IllegalArgumentException(
          "version %s of %s has no schema".formatted(Json.text(chosen, "name"), name(definition)));
    }
    String kind = Json.text(names, "kind");
    Set<String> imports = new TreeSet<>();
    imports.add("dev.coxswain.k8s.resource.CustomObject");
    imports.add("dev.coxswain.k8s.resource.KubernetesResource");
    TypeWriter types = new TypeWriter(imports, className);
    SourceText body = new SourceText();
    body.javadoc(
        Json.text(schema, "description").isBlank()
            ? className + "."
            : Json.text(schema, "description"),
        Map.of(),
        LICENSE_FREE_NOTE);
    body.line("@KubernetesResource(");
    body.line("    group = %s,".formatted(SourceText.quoted(Json.text(spec, "group"))));
    body.line("    version = %s,".formatted(SourceText.quoted(Json.text(chosen, "name"))));
    StringBuilder rest = new StringBuilder();
    if (!className.equals(kind)) {
      rest.append(",\n    kind = ").append(SourceText.quoted(kind));
    }
    if (Json.text(spec, "scope").equals("Cluster")) {
      rest.append(",\n    namespaced = false");
    }
    body.line("    plural = " + SourceText.quoted(Json.text(names, "plural")) + rest + ")");
    body.line("public final class " + className + " extends CustomObject {");
    body.indent();
    JsonObject fields = member(schema, "properties").deepCopy();
    OF_EVERY_OBJECT.forEach(fields::remove);
    if (fields.size() > MOST_FIELDS) {
      throw new IllegalArgumentException(
          "%s has %d fields at its top, and a class can have %d"
              .formatted(name(definition), fields.size(), MOST_FIELDS));
    }
    types.fields(body, fields, OF_CUSTOM_OBJECT);
    types.writePending(body);
    body.outdent();
    body.line("}");
    StringBuilder text = new StringBuilder("package " + javaPackage + ";\n\n");
    imports.forEach(name -> text.append("import ").append(name).append(";\n"));
    return text.append('\n').append(body).toString();
  }

  /** Returns the name of the class: the kind, or one like it when that is no name of a class. */
  public static String className(JsonObject definition) {
    return JavaNames.ofKind(kind(definition), TypeWriter.USED);
  }

  /**
   * Returns the names of the classes of several definitions in one package, in their order. Kinds of
   * several groups that would have one name, or names that differ by case only, have their group in
   * front.
   *
   * @throws IllegalArgumentException when one is no definition
   */
  public static List<String> classNames(List<JsonObject> definitions) {
    List<String> names = definitions.stream().map(ClassWriter::className).toList();
    List<String> chosen = new ArrayList<>();
    Set<String> taken = new HashSet<>();
    for (int i = 0; i < names.size(); i++) {
      String name = names.get(i);
      boolean shared = names.stream().filter(name::equalsIgnoreCase).count() > 1;
      String group = Json.text(member(definitions.get(i), "spec"), "group");
      if (!shared) {
        taken.add(name.toLowerCase(Locale.ROOT));
      }
      chosen.add(shared ? JavaNames.type(group.split("\\.", 2)[0]) + name : name);
    }
    for (int i = 0; i < chosen.size(); i++) {
      if (!chosen.get(i).equals(names.get(i))) {
        chosen.set(
            i, JavaNames.free(chosen.get(i), one -> !taken.add(one.toLowerCase(Locale.ROOT))));
      }
    }
    return chosen;
  }

  private static String kind(JsonObject definition) {
    String kind = Json.text(member(member(definition, "spec"), "names"), "kind");
    if (kind.isEmpty()) {
      throw new IllegalArgumentException(
          "not a CustomResourceDefinition: spec.names.kind is missing");
    }
    return kind;
  }

  private static void requirePackage(String name) {
    if (!name.matches("[a-zA-Z_]\\w*(\\.[a-zA-Z_]\\w*)*") || !SourceVersion.isName(name)) {
      throw new IllegalArgumentException(
          "not a package that Java accepts: \""
              + name
              + "\"; each part is a name that is no keyword");
    }
    if (name.equals("java") || name.startsWith("java.")) {
      throw new IllegalArgumentException(
          "packages below java are those of the JDK: \"" + name + "\"");
    }
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
