// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.store;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.resource.ResourceType;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * The ConfigMaps to which the replica of each ordinal writes, and that others read.
 *
 * <p>Thread rule: any thread that may block.
 *
 * @param transport a transport whose writes are guarded by the Lease of this replica
 * @param namespace the namespace of the ConfigMaps
 * @param name returns the name for an ordinal
 */
record OrdinalConfigMap(ApiTransport transport, String namespace, IntFunction<String> name) {

  private static final ResourceType<V1ConfigMap> CONFIG_MAPS = ResourceType.of(V1ConfigMap.class);

  /** Returns the data; empty when there is none. */
  JsonObject data(int ordinal) {
    try {
      return transport.get(path(ordinal), Map.of()).get("data") instanceof JsonObject data
          ? data
          : new JsonObject();
    } catch (ApiStatusException e) {
      if (e.isNotFound()) {
        return new JsonObject();
      }
      throw e;
    }
  }

  /**
   * Changes the data; null removes a key.
   *
   * @param create whether to create the ConfigMap when there is none, which is an error otherwise
   */
  void patch(int ordinal, JsonObject data, boolean create) {
    JsonObject body = new JsonObject();
    body.add("data", data);
    try {
      transport.write("PATCH", path(ordinal), Map.of(), body, ApiTransport.MERGE_PATCH);
    } catch (ApiStatusException e) {
      if (!e.isNotFound() || !create) {
        throw e;
      }
      JsonObject metadata = new JsonObject();
      metadata.addProperty("namespace", namespace);
      metadata.addProperty("name", name.apply(ordinal));
      body.addProperty("apiVersion", "v1");
      body.addProperty("kind", "ConfigMap");
      body.add("metadata", metadata);
      transport.write("POST", CONFIG_MAPS.path(namespace), Map.of(), body, ApiTransport.JSON);
    }
  }

  private String path(int ordinal) {
    return CONFIG_MAPS.path(namespace, name.apply(ordinal));
  }
}
