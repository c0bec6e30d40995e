// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An object of any resource as a complete JSON tree.
 *
 * <p>Thread rule: immutable; trees are copied on the way in and on the way out.
 */
public final class Unstructured implements KubernetesObject {

  private final JsonObject json;

  private Unstructured(JsonObject json) {
    this.json = json;
  }

  /**
   * Returns an object with this content.
   *
   * @param json the whole object; copied
   */
  public static Unstructured of(JsonObject json) {
    return new Unstructured(Objects.requireNonNull(json, "json").deepCopy());
  }

  /** Returns a copy of the whole object, to be changed and passed to {@link #of}. */
  public JsonObject json() {
    return json.deepCopy();
  }

  /**
   * Returns a copy of the value at a path of member names, or empty without one.
   *
   * @param path member names from the top, such as {@code "spec", "replicas"}
   */
  public Optional<JsonElement> at(String... path) {
    JsonElement here = json;
    for (String name : path) {
      if (!(here instanceof JsonObject object) || !object.has(name)) {
        return Optional.empty();
      }
      here = object.get(name);
    }
    return here.isJsonNull() ? Optional.empty() : Optional.of(here.deepCopy());
  }

  /** Returns a copy of the metadata; changing it does not change this object. */
  @Override
  public V1ObjectMeta getMetadata() {
    V1ObjectMeta metadata = Json.GSON.fromJson(json.get("metadata"), V1ObjectMeta.class);
    return metadata == null ? new V1ObjectMeta() : metadata;
  }

  @Override
  public @Nullable String getApiVersion() {
    return text("apiVersion");
  }

  @Override
  public @Nullable String getKind() {
    return text("kind");
  }

  private @Nullable String text(String name) {
    return json.get(name) != null && json.get(name).isJsonPrimitive()
        ? json.get(name).getAsString()
        : null;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Unstructured that && json.equals(that.json);
  }

  @Override
  public int hashCode() {
    return json.hashCode();
  }

  @Override
  public String toString() {
    return json.toString();
  }
}
