// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.controller;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import dev.coxswain.apiserver.internal.resource.VersionOrder;
import dev.coxswain.apiserver.internal.schema.CrdSchemas;
import dev.coxswain.apiserver.internal.webhook.WebhookTarget;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Turns custom resource definitions into resources; any thread. */
final class Definitions {
  private Definitions() {}

  /** Returns the resource that a definition describes; without versions when none is served. */
  static ResourceType type(ObjectNode definition) {
    JsonNode spec = definition.path("spec");
    JsonNode names = spec.path("names");
    String group = Json.text(spec, "group");
    String kind = Json.text(names, "kind");
    String plural = Json.text(names, "plural");
    List<ResourceType.Version> versions = new ArrayList<>();
    List<String> selectable = new ArrayList<>();
    for (JsonNode version : spec.path("versions")) {
      if (version.path("served").asBoolean()) {
        versions.add(version(version, group, kind));
      }
      for (JsonNode field : version.path("selectableFields")) {
        String path = Json.text(field, "jsonPath");
        String name = path.startsWith(".") ? path.substring(1) : path;
        if (!selectable.contains(name)) {
          selectable.add(name);
        }
      }
    }
    versions.sort(Comparator.comparing(ResourceType.Version::name, VersionOrder.NEWEST_FIRST));
    return new ResourceType(
        group,
        kind,
        or(Json.text(names, "listKind"), kind + "List"),
        plural,
        or(Json.text(names, "singular"), kind.toLowerCase(Locale.ROOT)),
        Json.texts(names.path("shortNames")),
        Json.texts(names.path("categories")),
        Json.text(spec, "scope").equals("Namespaced"),
        true,
        true,
        true,
        group + "/" + plural,
        selectable,
        versions,
        conversion(spec, group, kind));
  }

  /** Returns how objects are converted, null when only their apiVersion changes. */
  private static ResourceType.@Nullable Conversion conversion(
      JsonNode spec, String group, String kind) {
    JsonNode webhook = spec.path("conversion").path("webhook");
    if (!Json.text(spec.path("conversion"), "strategy").equals("Webhook")) {
      return null;
    }
    for (JsonNode version : spec.path("versions")) {
      if (version.path("storage").asBoolean()) {
        return new ResourceType.Conversion(
            version(version, group, kind), WebhookTarget.of(webhook.path("clientConfig")));
      }
    }
    return null;
  }

  /** The names a definition has been given so far. */
  static JsonNode accepted(ObjectNode definition) {
    return definition.path("status").path("acceptedNames");
  }

  private static ResourceType.Version version(JsonNode version, String group, String kind) {
    JsonNode subresources = version.path("subresources");
    JsonNode scale = subresources.path("scale");
    List<ResourceType.Column> columns = new ArrayList<>();
    for (JsonNode c : version.path("additionalPrinterColumns")) {
      columns.add(
          new ResourceType.Column(
              Json.text(c, "name"),
              Json.text(c, "type"),
              Json.text(c, "format"),
              Json.text(c, "description"),
              c.path("priority").asInt(),
              Json.text(c, "jsonPath")));
    }
    String name = Json.text(version, "name");
    String warning = null;
    if (version.path("deprecated").asBoolean()) {
      warning =
          or(
              Json.text(version, "deprecationWarning"),
              group + "/" + name + " " + kind + " is deprecated");
    }
    return new ResourceType.Version(
        name,
        CrdSchemas.root(version.path("schema").get("openAPIV3Schema")),
        subresources.has("status"),
        scale.isObject()
            ? new ResourceType.Scale(
                dotted(scale, "specReplicasPath"),
                dotted(scale, "statusReplicasPath"),
                dotted(scale, "labelSelectorPath"))
            : null,
        columns,
        warning);
  }

  private static String dotted(JsonNode node, String field) {
    String path = Json.text(node, field);
    return path.startsWith(".") ? path.substring(1) : path;
  }

  private static String or(String text, String fallback) {
    return text.isEmpty() ? fallback : text;
  }
}
