// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.store;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.resource.ResourceType;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One version of one object; immutable.
 *
 * <p>The object is kept as the JSON text behind kind and apiVersion, which is compact, and lets
 * lists and watches copy bytes instead of printing trees.
 */
public final class StoredObject {
  private final String namespace;
  private final String name;
  private final String uid;
  private final long version;
  private final boolean deleting;
  private final Map<String, String> labels;
  private final String[] fields;
  private final byte[] body;

  private StoredObject(ObjectNode tree, List<String> selectable, long version) {
    ObjectNode meta = Json.ensure(tree, "metadata");
    this.namespace = Json.text(meta, "namespace").intern();
    this.name = Json.text(meta, "name");
    this.uid = Json.text(meta, "uid");
    this.version = version;
    this.deleting = meta.hasNonNull("deletionTimestamp");
    this.labels = labels(meta.get("labels"));
    this.fields = new String[selectable.size()];
    for (int i = 0; i < fields.length; i++) {
      fields[i] = field(tree, selectable.get(i));
    }
    byte[] json = Json.bytes(tree);
    this.body = Arrays.copyOfRange(json, 1, json.length);
  }

  /** Makes an object of a tree without kind and apiVersion; the version goes into its metadata. */
  static StoredObject of(ObjectNode tree, List<String> selectable, long version) {
    tree.remove(List.of("kind", "apiVersion"));
    Json.ensure(tree, "metadata").put("resourceVersion", Long.toString(version));
    return new StoredObject(tree, selectable, version);
  }

  private static Map<String, String> labels(@Nullable JsonNode node) {
    if (node == null || node.isEmpty()) {
      return Map.of();
    }
    Map<String, String> labels = new HashMap<>();
    node.properties().forEach(e -> labels.put(e.getKey(), e.getValue().asText()));
    return Map.copyOf(labels);
  }

  private static String field(ObjectNode tree, String path) {
    if (path.equals("source")) {
      String component = Json.text(tree.get("source"), "component");
      return component.isEmpty() ? Json.text(tree, "reportingComponent") : component;
    }
    JsonNode here = Json.at(tree, path.split("\\."));
    String value = here == null || here.isNull() ? "" : here.asText();
    boolean flag = path.equals("spec.unschedulable") || path.equals("spec.hostNetwork");
    return value.isEmpty() && flag ? "false" : value;
  }

  /** Namespace, empty for cluster-scoped objects. */
  public String namespace() {
    return namespace;
  }

  public String name() {
    return name;
  }

  public String uid() {
    return uid;
  }

  public long version() {
    return version;
  }

  /** True once a deletion timestamp is set. */
  public boolean deleting() {
    return deleting;
  }

  public Map<String, String> labels() {
    return labels;
  }

  /** Value of the selectable field with this index. */
  public String field(int index) {
    return fields[index];
  }

  /** Key within its collection; keys sort as lists are ordered. */
  public String key() {
    return key(namespace, name);
  }

  static String key(String namespace, String name) {
    return namespace.isEmpty() ? name : namespace + "/" + name;
  }

  /** JSON behind the opening brace, kind and apiVersion; not to be changed. */
  public byte[] body() {
    return body;
  }

  /** Returns a fresh tree with kind and apiVersion of {@code type} in {@code version}. */
  public ObjectNode tree(ResourceType type, ResourceType.Version version) {
    byte[] prefix = prefix(type.kind(), type.apiVersion(version));
    byte[] json = Arrays.copyOf(prefix, prefix.length + body.length);
    System.arraycopy(body, 0, json, prefix.length, body.length);
    return Json.parseOwn(json);
  }

  /** Returns a fresh tree without kind and apiVersion. */
  public ObjectNode bareTree() {
    return bareTree(body);
  }

  /** Returns the tree of a {@link #body()}. */
  public static ObjectNode bareTree(byte[] body) {
    byte[] json = new byte[body.length + 1];
    json[0] = '{';
    System.arraycopy(body, 0, json, 1, body.length);
    return Json.parseOwn(json);
  }

  /** Returns the text that completes {@link #body()} to an object. */
  public static byte[] prefix(String kind, String apiVersion) {
    return ("{\"kind\":\"" + kind + "\",\"apiVersion\":\"" + apiVersion + "\",")
        .getBytes(StandardCharsets.UTF_8);
  }
}
