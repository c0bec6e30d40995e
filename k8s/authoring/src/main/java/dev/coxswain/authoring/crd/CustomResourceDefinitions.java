// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.crd;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.k8s.schema.CustomResource;
import dev.coxswain.k8s.schema.PrinterColumn;
import io.kubernetes.client.common.KubernetesObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * CustomResourceDefinitions of classes with a {@link KubernetesResource} annotation. The schema comes
 * from the fields that are written as JSON and from the annotations in {@code
 * dev.coxswain.k8s.schema}.
 *
 * <p>Thread rule: any thread.
 */
public final class CustomResourceDefinitions {

  private static final CustomResource NONE = Plain.class.getAnnotation(CustomResource.class);

  @CustomResource
  private static final class Plain {}

  private CustomResourceDefinitions() {}

  /**
   * Returns the definition of a kind with one version.
   *
   * @throws IllegalArgumentException when the class cannot be described; the message has the field
   */
  public static JsonObject of(Class<? extends KubernetesObject> type) {
    return of(List.<Class<? extends KubernetesObject>>of(type)).getFirst();
  }

  /**
   * Returns the definitions of classes, by name. Classes of the same group and plural are versions of
   * one kind.
   *
   * @throws IllegalArgumentException when a class cannot be described, or versions contradict
   */
  public static List<JsonObject> of(Collection<? extends Class<? extends KubernetesObject>> types) {
    Map<String, List<Class<? extends KubernetesObject>>> kinds = new TreeMap<>();
    for (Class<? extends KubernetesObject> type : types) {
      if (type.getAnnotation(KubernetesResource.class) == null) {
        throw new IllegalArgumentException(
            type.getName() + " has no @KubernetesResource, which names its group and plural");
      }
      kinds.computeIfAbsent(ResourceType.of(type).toString(), _ -> new ArrayList<>()).add(type);
    }
    return kinds.entrySet().stream().map(kind -> kind(kind.getKey(), kind.getValue())).toList();
  }

  /**
   * Returns what a server accepts in a definition and its author hardly means: a printer column
   * whose path can match several times, of which a cluster prints the first.
   *
   * @param definition a CustomResourceDefinition, generated or written by hand
   * @return one line for each; empty when there is nothing to say
   */
  public static List<String> warnings(JsonObject definition) {
    return ColumnPaths.warnings(definition);
  }

  private static JsonObject kind(String name, List<Class<? extends KubernetesObject>> versions) {
    versions.sort(Comparator.comparing(type -> ResourceType.of(type).version()));
    ResourceType<?> first = ResourceType.of(versions.getFirst());
    if (first.group().isEmpty()) {
      throw new IllegalArgumentException(name + ": a custom resource needs a group");
    }
    List<Class<? extends KubernetesObject>> stored =
        versions.stream().filter(type -> options(type).stored()).toList();
    if (stored.size() != 1) {
      throw new IllegalArgumentException(
          "%s: exactly one of its versions is stored, but these are: %s"
              .formatted(name, stored.stream().map(Class::getName).toList()));
    }
    JsonArray list = new JsonArray();
    for (Class<? extends KubernetesObject> type : versions) {
      ResourceType<?> resource = ResourceType.of(type);
      if (!resource.kind().equals(first.kind()) || resource.namespaced() != first.namespaced()) {
        throw new IllegalArgumentException(
            "%s: kind and scope of %s differ from those of %s"
                .formatted(name, type.getName(), versions.getFirst().getName()));
      }
      list.add(version(type, resource));
    }
    JsonObject spec = new JsonObject();
    spec.addProperty("group", first.group());
    spec.add("names", names(first, options(stored.getFirst())));
    spec.addProperty("scope", first.namespaced() ? "Namespaced" : "Cluster");
    spec.add("versions", list);
    JsonObject metadata = new JsonObject();
    metadata.addProperty("name", name);
    JsonObject result = new JsonObject();
    result.addProperty("apiVersion", "apiextensions.k8s.io/v1");
    result.addProperty("kind", "CustomResourceDefinition");
    result.add("metadata", metadata);
    result.add("spec", spec);
    return result;
  }

  private static CustomResource options(Class<?> type) {
    CustomResource options = type.getAnnotation(CustomResource.class);
    return options == null ? NONE : options;
  }

  private static JsonObject names(ResourceType<?> type, CustomResource options) {
    JsonObject names = new JsonObject();
    names.addProperty("kind", type.kind());
    names.addProperty("listKind", type.kind() + "List");
    names.addProperty("plural", type.plural());
    names.addProperty(
        "singular",
        options.singular().isEmpty() ? type.kind().toLowerCase(Locale.ROOT) : options.singular());
    add(names, "shortNames", options.shortNames());
    add(names, "categories", options.categories());
    return names;
  }

  private static JsonObject version(Class<?> type, ResourceType<?> resource) {
    CustomResource options = options(type);
    JsonObject schema = new TypeSchemas().root(type);
    JsonObject version = new JsonObject();
    version.addProperty("name", resource.version());
    version.addProperty("served", options.served());
    version.addProperty("storage", options.stored());
    JsonObject subresources = new JsonObject();
    if (at(schema, ".status") != null) {
      subresources.add("status", new JsonObject());
    }
    if (!options.scaleSpec().isEmpty()) {
      subresources.add("scale", scale(type, schema, options));
    }
    if (!subresources.isEmpty()) {
      version.add("subresources", subresources);
    }
    JsonArray columns = new JsonArray();
    for (PrinterColumn column : options.columns()) {
      columns.add(column(type, schema, column));
    }
    if (!columns.isEmpty()) {
      version.add("additionalPrinterColumns", columns);
    }
    JsonObject wrapped = new JsonObject();
    wrapped.add("openAPIV3Schema", schema);
    version.add("schema", wrapped);
    return version;
  }

  private static JsonObject scale(Class<?> type, JsonObject schema, CustomResource options) {
    JsonObject scale = new JsonObject();
    scale.addProperty("specReplicasPath", existing(type, schema, options.scaleSpec()));
    scale.addProperty("statusReplicasPath", existing(type, schema, options.scaleStatus()));
    if (!options.scaleSelector().isEmpty()) {
      scale.addProperty("labelSelectorPath", existing(type, schema, options.scaleSelector()));
    }
    return scale;
  }

  private static String existing(Class<?> type, JsonObject schema, String path) {
    if (at(schema, path) == null) {
      throw new IllegalArgumentException(
          "%s: there is no field at the path \"%s\" of the scale subresource"
              .formatted(type.getName(), path));
    }
    return path;
  }

  private static JsonObject column(Class<?> type, JsonObject schema, PrinterColumn column) {
    JsonObject result = new JsonObject();
    result.addProperty("name", column.name());
    result.addProperty(
        "type", column.type().isEmpty() ? kindOf(type, schema, column) : column.type());
    result.addProperty("jsonPath", column.jsonPath());
    if (!column.format().isEmpty()) {
      result.addProperty("format", column.format());
    }
    if (!column.description().isEmpty()) {
      result.addProperty("description", column.description());
    }
    if (column.priority() != 0) {
      result.addProperty("priority", column.priority());
    }
    return result;
  }

  private static String kindOf(Class<?> type, JsonObject schema, PrinterColumn column) {
    if (column.jsonPath().startsWith(".metadata.")) {
      return column.jsonPath().endsWith("Timestamp") ? "date" : "string";
    }
    JsonObject field = at(schema, column.jsonPath());
    if (field == null || !field.has("type")) {
      throw new IllegalArgumentException(
          "%s: the printer column \"%s\" needs a type: no plain field is at %s"
              .formatted(type.getName(), column.name(), column.jsonPath()));
    }
    return "date-time".equals(TypeSchemas.text(field, "format"))
        ? "date"
        : TypeSchemas.text(field, "type");
  }

  /** Returns the schema at a path such as {@code .spec.every}, or null. */
  private static @Nullable JsonObject at(JsonObject schema, String path) {
    JsonElement found = schema;
    for (String field : path.substring(path.startsWith(".") ? 1 : 0).split("\\.", -1)) {
      JsonElement fields = found.getAsJsonObject().get("properties");
      found = fields == null ? null : fields.getAsJsonObject().get(field);
      if (found == null) {
        return null;
      }
    }
    return found.getAsJsonObject();
  }

  private static void add(JsonObject to, String name, String[] values) {
    if (values.length > 0) {
      JsonArray list = new JsonArray();
      for (String value : values) {
        list.add(value);
      }
      to.add(name, list);
    }
  }
}
