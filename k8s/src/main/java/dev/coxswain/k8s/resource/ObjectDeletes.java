// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.reconcile.Request;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * Deletions and evictions of the objects of a resource.
 *
 * <p>Thread rule: immutable; blocks.
 *
 * @param deleted receives the key of a deleted object and the response to its deletion
 */
record ObjectDeletes(
    ApiTransport transport,
    ResourceType<?> type,
    BiConsumer<Request, JsonObject> deleted,
    boolean dryRun) {

  boolean delete(Request key, DeleteOptions how) {
    Optional<JsonObject> response =
        ResourceReads.ifPresent(() -> send(type.path(key.namespace(), key.name()), Map.of(), how));
    response.ifPresent(one -> deleted.accept(key, one));
    return response.isPresent();
  }

  private JsonObject send(String path, Map<String, String> query, DeleteOptions how) {
    return transport.write("DELETE", path, query, how.toJson(dryRun), ApiTransport.JSON);
  }

  int deleteAll(ListOptions selection, DeleteOptions how) {
    if (type.namespaced() && selection.namespace().isEmpty()) {
      throw new IllegalArgumentException(
          type + " are deleted in one namespace at a time, but no namespace was given");
    }
    JsonObject response = send(type.path(selection.namespace()), selection.query(), how);
    if (!(response.get("items") instanceof JsonArray items)) {
      return 0;
    }
    for (JsonElement each : items) {
      JsonObject item = each.getAsJsonObject();
      JsonElement metadata = item.get("metadata");
      if (goesAtOnce(metadata, how)) {
        deleted.accept(
            new Request(Json.text(metadata, "namespace"), Json.text(metadata, "name")), item);
      }
    }
    return items.size();
  }

  /** The response has the objects as they were before; which of them stay for a while is unknown. */
  private boolean goesAtOnce(JsonElement metadata, DeleteOptions how) {
    return how.propagation() == DeleteOptions.Propagation.BACKGROUND
        && metadata instanceof JsonObject object
        && !object.has("finalizers")
        && !isPods();
  }

  private boolean isPods() {
    return type.group().isEmpty() && type.plural().equals("pods");
  }

  boolean evict(Request pod, DeleteOptions how) {
    if (!isPods()) {
      throw new IllegalArgumentException("only pods can be evicted, not " + type);
    }
    JsonObject metadata = new JsonObject();
    metadata.addProperty("name", pod.name());
    metadata.addProperty("namespace", pod.namespace());
    JsonObject eviction = new JsonObject();
    eviction.addProperty("apiVersion", "policy/v1");
    eviction.addProperty("kind", "Eviction");
    eviction.add("metadata", metadata);
    eviction.add("deleteOptions", how.toJson(dryRun));
    String path = type.path(pod.namespace(), pod.name()) + "/eviction";
    Map<String, String> query = dryRun ? Map.of("dryRun", "All") : Map.of();
    return ResourceReads.ifPresent(
            () -> transport.write("POST", path, query, eviction, ApiTransport.JSON))
        .isPresent();
  }
}
