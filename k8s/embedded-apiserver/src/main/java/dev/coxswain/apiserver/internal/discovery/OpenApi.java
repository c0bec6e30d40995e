// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.discovery;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.json.ProtobufWriter;
import dev.coxswain.apiserver.internal.resource.ResourceRegistry;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.schema.Schema;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * OpenAPI v3, as much as kubectl needs to validate and explain; confined to the server's event
 * loop.
 */
public final class OpenApi {
  private final ResourceRegistry registry;

  public OpenApi(ResourceRegistry registry) {
    this.registry = registry;
  }

  /** The media type in which kubectl requests {@code /openapi/v2}. */
  public static final String PROTOBUF =
      "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

  private static final String TITLE = "Coxswain embedded API server";
  private static final String VERSION = "v1.36.0";

  /**
   * Returns {@code /openapi/v2}: a document without types. kubectl falls back to it for a kind that
   * the third version does not have, and then says that there is no such kind.
   *
   * @param binary in Protocol Buffers instead of JSON
   */
  public static byte[] second(boolean binary) {
    if (binary) { // the field numbers are those of openapi.v2.Document and Info
      return new ProtobufWriter()
          .text(1, "2.0")
          .message(2, new ProtobufWriter().text(1, TITLE).text(2, VERSION))
          .message(8, new ProtobufWriter())
          .toBytes();
    }
    ObjectNode document = Json.object().put("swagger", "2.0");
    document.putObject("info").put("title", TITLE).put("version", VERSION);
    document.putObject("paths");
    document.putObject("definitions");
    return Json.bytes(document);
  }

  /** Returns a document below {@code /openapi}, null when there is none. */
  public byte @Nullable [] document(List<String> segments) {
    if (segments.size() < 2 || !segments.get(1).equals("v3")) {
      return null;
    }
    if (segments.size() == 2) {
      return Json.bytes(index());
    }
    boolean core = segments.get(2).equals("api") && segments.size() == 4;
    boolean named = segments.get(2).equals("apis") && segments.size() == 5;
    String group = named ? segments.get(3) : "";
    String version = segments.getLast();
    return (core || named) && registry.versions(group).contains(version)
        ? Json.bytes(groupVersion(group, version))
        : null;
  }

  private ObjectNode index() {
    ObjectNode index = Json.object();
    ObjectNode paths = index.putObject("paths");
    for (String group : registry.groups()) {
      for (String version : registry.versions(group)) {
        String path = group.isEmpty() ? "api/" + version : "apis/" + group + "/" + version;
        paths.putObject(path).put("serverRelativeURL", "/openapi/v3/" + path);
      }
    }
    return index;
  }

  private ObjectNode groupVersion(String group, String version) {
    ObjectNode document = Json.object().put("openapi", "3.0.0");
    document.putObject("info").put("title", TITLE).put("version", VERSION);
    ObjectNode paths = document.putObject("paths");
    ObjectNode schemas = document.putObject("components").putObject("schemas");
    SchemaWriter writer = new SchemaWriter(schemas);
    for (ResourceType type : registry.all()) {
      ResourceType.Version served = type.version(version);
      if (!type.group().equals(group) || served == null || !type.stored()) {
        continue;
      }
      String name = writer.root(type, served);
      String base = (group.isEmpty() ? "/api/" : "/apis/" + group + "/") + version;
      String collection =
          base + (type.namespaced() ? "/namespaces/{namespace}/" : "/") + type.plural();
      operation(paths.putObject(collection).putObject("post"), type, version, "create", name);
      ObjectNode item = paths.putObject(collection + "/{name}");
      operation(item.putObject("get"), type, version, "get", name);
      operation(item.putObject("put"), type, version, "update", name);
      operation(item.putObject("patch"), type, version, "patch", name);
    }
    return document;
  }

  private static void operation(
      ObjectNode operation, ResourceType type, String version, String action, String schema) {
    ObjectNode gvk = operation.putObject("x-kubernetes-group-version-kind");
    gvk.put("group", type.group()).put("version", version).put("kind", type.kind());
    operation.put(
        "x-kubernetes-action",
        action.equals("update") ? "put" : action.equals("create") ? "post" : action);
    if (!action.equals("get")) {
      for (String parameter : List.of("dryRun", "fieldManager", "fieldValidation")) {
        operation
            .withArray("parameters")
            .addObject()
            .put("name", parameter)
            .put("in", "query")
            .putObject("schema")
            .put("type", "string");
      }
    }
    operation
        .putObject("responses")
        .putObject("200")
        .put("description", "OK")
        .putObject("content")
        .putObject("application/json")
        .putObject("schema")
        .put("$ref", "#/components/schemas/" + schema);
  }

  /** Writes schemas and those they refer to. */
  private static final class SchemaWriter {
    private final ObjectNode schemas;
    private final Set<String> seen = new LinkedHashSet<>();

    SchemaWriter(ObjectNode schemas) {
      this.schemas = schemas;
    }

    String root(ResourceType type, ResourceType.Version version) {
      String name = name(type, version.name());
      ObjectNode node = schemas.putObject(name);
      fill(node, version.schema());
      ObjectNode source = version.schema().source();
      if (source != null) { // with enums, defaults, limits and all else
        ObjectNode own = Json.ensure(node, "properties");
        node.setAll(source.deepCopy());
        ObjectNode all = Json.ensure(node, "properties");
        for (String field : List.of("apiVersion", "kind", "metadata")) {
          Json.carry(own, all, field);
        }
      }
      if (!type.custom()) {
        node.put(
            "description",
            type.kind()
                + " is built into Kubernetes. The embedded API server knows its fields, but not their documentation:"
                + " see https://kubernetes.io/docs/reference/kubernetes-api/.");
      }
      node.putArray("x-kubernetes-group-version-kind")
          .addObject()
          .put("group", type.group())
          .put("kind", type.kind())
          .put("version", version.name());
      return name;
    }

    private static String name(ResourceType type, String version) {
      if (type.custom()) {
        List<String> parts = new java.util.ArrayList<>(List.of(type.group().split("\\.", -1)));
        java.util.Collections.reverse(parts);
        return String.join(".", parts) + "." + version + "." + type.kind();
      }
      String group = type.group().isEmpty() ? "core" : type.group().split("\\.", -1)[0];
      return "io.k8s.api." + group.toLowerCase(Locale.ROOT) + "." + version + "." + type.kind();
    }

    private void fill(ObjectNode node, Schema schema) {
      if (!schema.description().isEmpty()) {
        node.put("description", schema.description());
      }
      switch (schema.type()) {
        case OBJECT -> {
          node.put("type", "object");
          ObjectNode properties = Json.object();
          for (Map.Entry<String, Schema> e : schema.properties().entrySet()) {
            value(properties.putObject(e.getKey()), e.getValue());
          }
          if (!properties.isEmpty()) {
            node.set("properties", properties);
          }
          if (schema.preserveUnknown()) {
            node.put("x-kubernetes-preserve-unknown-fields", true);
          }
        }
        case MAP ->
            value(node.put("type", "object").putObject("additionalProperties"), schema.items());
        case LIST -> {
          value(node.put("type", "array").putObject("items"), schema.items());
          if (schema.keyedList()) {
            node.put("x-kubernetes-list-type", "map");
            schema.keys().forEach(node.putArray("x-kubernetes-list-map-keys")::add);
            node.put("x-kubernetes-patch-strategy", "merge")
                .put("x-kubernetes-patch-merge-key", schema.keys().getFirst());
          }
        }
        case TEXT -> node.put("type", "string");
        case INTEGER -> node.put("type", "integer");
        case NUMBER -> node.put("type", "number");
        case BOOLEAN -> node.put("type", "boolean");
        case INT_OR_TEXT -> node.put("x-kubernetes-int-or-string", true);
        case TIME, MICRO_TIME -> node.put("type", "string").put("format", "date-time");
        case ANY -> node.put("type", "object").put("x-kubernetes-preserve-unknown-fields", true);
      }
    }

    private void value(ObjectNode node, Schema schema) {
      String reference = schema.reference();
      if (reference == null) {
        fill(node, schema);
        return;
      }
      String name =
          reference.equals("ObjectMeta")
              ? "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
              : "io.k8s.api.shared.v1." + reference;
      node.putArray("allOf").addObject().put("$ref", "#/components/schemas/" + name);
      if (seen.add(reference)) {
        fill(schemas.putObject(name), schema);
      }
    }
  }
}
