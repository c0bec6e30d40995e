// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.internal.resource.TypedCopy;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The encoding and decoding of the objects of one resource, and the reading of their keys.
 *
 * <p>Thread rule: immutable.
 *
 * @param <T> the class of the objects
 */
final class ObjectCodec<T extends KubernetesObject> {

  private final ResourceType<T> type;

  ObjectCodec(ResourceType<T> type) {
    this.type = type;
  }

  /** Returns an object as a tree owned by the caller, with its API version and kind. */
  JsonObject encode(T object) {
    JsonObject body = Json.encode(object);
    addTypeMeta(body);
    return body;
  }

  private void addTypeMeta(JsonObject body) {
    if (!body.has("apiVersion")) {
      body.addProperty("apiVersion", type.apiVersion());
    }
    if (!body.has("kind")) {
      body.addProperty("kind", type.kind());
    }
  }

  /**
   * Decodes an object from the server.
   *
   * @throws ApiStatusException when it does not match the class
   */
  T decode(JsonElement json) {
    return matching(() -> Json.decode(json, type.type()));
  }

  /** Decodes an object like {@link #decode}, to be changed; the tree does not change. */
  TypedCopy<T> copy(JsonObject tree) {
    return matching(() -> TypedCopy.of(tree, type.type()));
  }

  private <R> R matching(Supplier<R> decoding) {
    try {
      return decoding.get();
    } catch (JsonParseException e) {
      throw new ApiStatusException(
          ApiStatusException.NO_ANSWER,
          "Undecodable",
          type
              + " sent an object that does not match "
              + type.type().getSimpleName()
              + ": "
              + e.getMessage(),
          null,
          e);
    }
  }

  /** Decodes an item of a list like {@link #decode}; servers omit its API version and kind. */
  T decodeItem(JsonObject item) {
    addTypeMeta(item);
    return decode(item);
  }

  /** Returns the version of an object; empty when it has none. */
  static String resourceVersion(JsonObject tree) {
    return Json.text(tree.get("metadata"), "resourceVersion");
  }

  /** Returns a new object with its API version, kind and name alone. */
  JsonObject empty(Request key) {
    return named(key, new JsonObject());
  }

  /** Returns the tree of a new object with its name set; not every class has metadata initially. */
  JsonObject named(Request key, T object) {
    return named(key, encode(object));
  }

  private JsonObject named(Request key, JsonObject json) {
    addTypeMeta(json);
    JsonObject metadata = json.get("metadata") instanceof JsonObject old ? old : new JsonObject();
    metadata.addProperty("name", key.name());
    if (type.namespaced()) {
      metadata.addProperty("namespace", key.namespace());
    }
    json.add("metadata", metadata);
    return json;
  }

  /**
   * Returns the key of an object.
   *
   * @throws IllegalArgumentException when it has no name
   */
  Request key(T object) {
    V1ObjectMeta metadata = metadata(object);
    if (metadata.getName() == null) {
      throw new IllegalArgumentException("the " + type.kind() + " has no name");
    }
    return new Request(type.namespaced() ? namespace(metadata) : "", metadata.getName());
  }

  /**
   * Returns the namespace of an object that may have no name yet; empty for a cluster-scoped
   * resource.
   *
   * @throws IllegalArgumentException when it has none and needs one
   */
  String requiredNamespace(T object) {
    V1ObjectMeta metadata = metadata(object);
    String namespace = namespace(metadata);
    if (type.namespaced() && namespace.isEmpty()) {
      throw new IllegalArgumentException(
          type.kind() + " \"" + metadata.getName() + "\" is namespaced, but has no namespace");
    }
    return namespace;
  }

  /**
   * Returns the metadata of an object, not a copy unless the class makes one.
   *
   * @throws IllegalArgumentException when it has none
   */
  V1ObjectMeta metadata(T object) {
    V1ObjectMeta metadata = object.getMetadata();
    if (metadata == null) {
      throw new IllegalArgumentException("the " + type.kind() + " has no metadata");
    }
    return metadata;
  }

  private static String namespace(V1ObjectMeta metadata) {
    @Nullable String namespace = metadata.getNamespace();
    return namespace == null ? "" : namespace;
  }
}
