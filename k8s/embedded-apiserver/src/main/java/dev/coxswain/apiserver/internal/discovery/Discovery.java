// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.discovery;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.resource.ResourceRegistry;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The discovery documents of resources; confined to the server's event loop. */
public final class Discovery {
  private static final List<String> VERBS =
      List.of("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");
  private static final List<String> SUB_VERBS = List.of("get", "patch", "update");

  private final ResourceRegistry registry;

  public Discovery(ResourceRegistry registry) {
    this.registry = registry;
  }

  /** The {@code /version} document. */
  public static ObjectNode version() {
    return Json.object()
        .put("major", "1")
        .put("minor", "36")
        .put("gitVersion", "v1.36.0-coxswain")
        .put("gitCommit", "0000000000000000000000000000000000000000")
        .put("gitTreeState", "clean")
        .put("buildDate", "2026-01-01T00:00:00Z")
        .put("goVersion", "go0.0-none")
        .put("compiler", "javac")
        .put("platform", "java/" + Runtime.version().feature());
  }

  /** The root document. */
  public ObjectNode paths() {
    ObjectNode root = Json.object();
    ArrayNode paths = root.putArray("paths");
    for (String path : List.of("/api", "/api/v1", "/apis")) {
      paths.add(path);
    }
    for (String group : registry.groups()) {
      if (!group.isEmpty()) {
        paths.add("/apis/" + group);
        registry.versions(group).forEach(v -> paths.add("/apis/" + group + "/" + v));
      }
    }
    for (String path : List.of("/healthz", "/livez", "/openapi/v3", "/readyz", "/version")) {
      paths.add(path);
    }
    return root;
  }

  /** The document under a path such as {@code apis/apps/v1}, null when there is none. */
  public @Nullable ObjectNode document(List<String> segments) {
    boolean core = segments.getFirst().equals("api");
    if (segments.size() == 1) {
      return core ? coreVersions() : groups();
    }
    String group = core ? "" : segments.get(1);
    if (!core && segments.size() == 2) {
      return registry.versions(group).isEmpty()
          ? null
          : group(group).put("kind", "APIGroup").put("apiVersion", "v1");
    }
    String version = segments.get(core ? 1 : 2);
    return registry.versions(group).contains(version) ? resources(group, version) : null;
  }

  private static ObjectNode coreVersions() {
    ObjectNode versions = Json.object().put("kind", "APIVersions");
    versions.putArray("versions").add("v1");
    versions
        .putArray("serverAddressByClientCIDRs")
        .addObject()
        .put("clientCIDR", "0.0.0.0/0")
        .put("serverAddress", "127.0.0.1");
    return versions;
  }

  private ObjectNode groups() {
    ObjectNode list = Json.object().put("kind", "APIGroupList").put("apiVersion", "v1");
    ArrayNode groups = list.putArray("groups");
    for (String group : registry.groups()) {
      if (!group.isEmpty()) {
        groups.add(group(group));
      }
    }
    return list;
  }

  private ObjectNode group(String group) {
    ObjectNode node = Json.object().put("name", group);
    ArrayNode versions = node.putArray("versions");
    for (String version : registry.versions(group)) {
      versions.addObject().put("groupVersion", group + "/" + version).put("version", version);
    }
    node.set("preferredVersion", versions.get(0).deepCopy());
    return node;
  }

  private ObjectNode resources(String group, String version) {
    ObjectNode list = Json.object().put("kind", "APIResourceList");
    if (!group.isEmpty()) {
      list.put("apiVersion", "v1");
    }
    list.put("groupVersion", group.isEmpty() ? version : group + "/" + version);
    ArrayNode resources = list.putArray("resources");
    for (ResourceType type : registry.all()) {
      ResourceType.Version served = type.version(version);
      if (!type.group().equals(group) || served == null) {
        continue;
      }
      ObjectNode node = resource(resources, type, type.plural(), type.singular(), type.kind());
      verbs(node, verbs(type));
      texts(node, "shortNames", type.shortNames());
      texts(node, "categories", type.categories());
      if (served.status()) {
        verbs(resource(resources, type, type.plural() + "/status", "", type.kind()), SUB_VERBS);
      }
      if (served.scale() != null) {
        ObjectNode scale = resource(resources, type, type.plural() + "/scale", "", "Scale");
        verbs(scale.put("group", "autoscaling").put("version", "v1"), SUB_VERBS);
      }
      if (type.is("", "namespaces")) {
        verbs(resource(resources, type, "namespaces/finalize", "", "Namespace"), List.of("update"));
      }
      if (type.is("", "serviceaccounts")) {
        ObjectNode token = resource(resources, type, "serviceaccounts/token", "", "TokenRequest");
        verbs(token.put("group", "authentication.k8s.io").put("version", "v1"), List.of("create"));
      }
      if (type.is("", "pods")) {
        ObjectNode eviction = resource(resources, type, "pods/eviction", "", "Eviction");
        verbs(eviction.put("group", "policy").put("version", "v1"), List.of("create"));
      }
    }
    return list;
  }

  private static List<String> verbs(ResourceType type) {
    if (!type.stored()) {
      return List.of("create");
    }
    return type.is("", "namespaces")
        ? VERBS.stream().filter(v -> !v.equals("deletecollection")).toList()
        : VERBS;
  }

  private static ObjectNode resource(
      ArrayNode list, ResourceType type, String name, String singular, String kind) {
    return list.addObject()
        .put("name", name)
        .put("singularName", singular)
        .put("namespaced", type.namespaced())
        .put("kind", kind);
  }

  private static void verbs(ObjectNode node, List<String> verbs) {
    texts(node, "verbs", verbs);
  }

  private static void texts(ObjectNode node, String field, List<String> texts) {
    if (!texts.isEmpty()) {
      ArrayNode array = node.putArray(field);
      texts.forEach(array::add);
    }
  }

  /** Aggregated discovery: all resources in one document, for newer clients. */
  public ObjectNode aggregated(boolean core) {
    ObjectNode list =
        Json.object()
            .put("kind", "APIGroupDiscoveryList")
            .put("apiVersion", "apidiscovery.k8s.io/v2");
    list.putObject("metadata");
    ArrayNode items = list.putArray("items");
    for (String group : registry.groups()) {
      if (group.isEmpty() != core) {
        continue;
      }
      ObjectNode item = items.addObject();
      ObjectNode meta = item.putObject("metadata").putNull("creationTimestamp");
      if (!core) {
        meta.put("name", group);
      }
      ArrayNode versions = item.putArray("versions");
      for (String version : registry.versions(group)) {
        ObjectNode node = versions.addObject().put("version", version);
        ArrayNode resources = node.putArray("resources");
        for (ResourceType type : registry.all()) {
          ResourceType.Version served = type.version(version);
          if (type.group().equals(group) && served != null) {
            aggregate(resources, type, served);
          }
        }
        node.put("freshness", "Current");
      }
    }
    return list;
  }

  private static void aggregate(
      ArrayNode resources, ResourceType type, ResourceType.Version served) {
    // built-in kinds leave group and version out, as they are those of the surrounding entry
    String group = type.custom() ? type.group() : "";
    String version = type.custom() ? served.name() : "";
    ObjectNode node = resources.addObject().put("resource", type.plural());
    responseKind(node, group, version, type.kind());
    node.put("scope", type.namespaced() ? "Namespaced" : "Cluster")
        .put("singularResource", type.singular());
    verbs(node, verbs(type));
    texts(node, "shortNames", type.shortNames());
    texts(node, "categories", type.categories());
    ArrayNode subs = Json.array();
    if (served.scale() != null) {
      ObjectNode scale = subs.addObject().put("subresource", "scale");
      responseKind(scale, "autoscaling", "v1", "Scale");
      verbs(scale, SUB_VERBS);
    }
    if (served.status()) {
      ObjectNode status = subs.addObject().put("subresource", "status");
      responseKind(status, group, version, type.kind());
      verbs(status, SUB_VERBS);
    }
    if (type.is("", "serviceaccounts")) {
      ObjectNode token = subs.addObject().put("subresource", "token");
      responseKind(token, "authentication.k8s.io", "v1", "TokenRequest");
      verbs(token, List.of("create"));
    }
    if (!subs.isEmpty()) {
      node.set("subresources", subs);
    }
  }

  private static void responseKind(ObjectNode node, String group, String version, String kind) {
    node.putObject("responseKind").put("group", group).put("version", version).put("kind", kind);
  }
}
