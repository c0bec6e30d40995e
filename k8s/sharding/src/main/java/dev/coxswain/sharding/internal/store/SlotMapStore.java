// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.store;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.sharding.internal.membership.Membership;
import dev.coxswain.sharding.internal.membership.ReplicaLeaseTable;
import dev.coxswain.sharding.internal.slot.SlotMap;
import dev.coxswain.sharding.internal.slot.SlotMapException;
import dev.coxswain.sharding.internal.slot.SlotMapFormat;
import dev.coxswain.sharding.internal.slot.StoredSlotMap;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Lease;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The ConfigMap with the slot map at the API server. Each write is guarded by the Lease of this
 * replica and replaces exactly the version that was read.
 *
 * <p>Thread rule: any thread that may block.
 */
public final class SlotMapStore {

  private static final ResourceType<V1ConfigMap> CONFIG_MAPS = ResourceType.of(V1ConfigMap.class);
  private static final ResourceType<V1Lease> LEASES = ResourceType.of(V1Lease.class);

  private final ApiTransport transport;
  private final Membership settings;
  private final Clock clock;

  /**
   * Creates a store.
   *
   * @param transport a transport whose writes are guarded by the Lease of this replica
   */
  public SlotMapStore(ApiTransport transport, Membership settings, Clock clock) {
    this.transport = transport;
    this.settings = settings;
    this.clock = clock;
  }

  /** Returns the map by a consistent read; empty when there is none. */
  public Optional<StoredSlotMap> read() throws SlotMapException {
    long sent = clock.nanos();
    JsonObject found;
    try {
      found = transport.get(path(), Map.of());
    } catch (ApiStatusException e) {
      if (e.isNotFound()) {
        return Optional.empty();
      }
      throw e;
    }
    return Optional.of(stored(found, sent));
  }

  /** T1: creates a map in which all slots are free; it was just read that there is none. */
  public StoredSlotMap create() throws SlotMapException {
    long base = Long.parseLong(versionOfLeases());
    JsonObject metadata = new JsonObject();
    metadata.addProperty("namespace", settings.namespace());
    metadata.addProperty("name", settings.mapName());
    return write(
        "POST",
        CONFIG_MAPS.path(settings.namespace()),
        metadata,
        SlotMap.initial(settings.slotsBy(), settings.slots(), base));
  }

  /** Replaces the map that was read before; fails with a conflict when it has changed since. */
  public StoredSlotMap update(StoredSlotMap before, SlotMap next) throws SlotMapException {
    JsonObject metadata = new JsonObject();
    metadata.addProperty("namespace", settings.namespace());
    metadata.addProperty("name", settings.mapName());
    metadata.addProperty("uid", before.uid());
    metadata.addProperty("resourceVersion", Long.toString(before.version()));
    return write("PUT", path(), metadata, next);
  }

  /** Deletes exactly the map that is there, which need not be one; does nothing when there is none. */
  public void delete() {
    try {
      JsonObject found = transport.get(path(), Map.of());
      JsonObject preconditions = new JsonObject();
      preconditions.add("uid", found.getAsJsonObject("metadata").get("uid"));
      JsonObject body = new JsonObject();
      body.addProperty("apiVersion", "v1");
      body.addProperty("kind", "DeleteOptions");
      body.add("preconditions", preconditions);
      transport.write("DELETE", path(), Map.of(), body, ApiTransport.JSON);
    } catch (ApiStatusException e) {
      if (!e.isNotFound()) {
        throw e;
      }
    }
  }

  private StoredSlotMap write(String method, String path, JsonObject metadata, SlotMap map)
      throws SlotMapException {
    JsonObject data = new JsonObject();
    SlotMapFormat.encode(map).forEach(data::addProperty);
    JsonObject body = new JsonObject();
    body.addProperty("apiVersion", "v1");
    body.addProperty("kind", "ConfigMap");
    body.add("metadata", metadata);
    body.add("data", data);
    long sent = clock.nanos();
    return stored(transport.write(method, path, Map.of(), body, ApiTransport.JSON), sent);
  }

  private String path() {
    return CONFIG_MAPS.path(settings.namespace(), settings.mapName());
  }

  /** Returns the resource version of a list of the replica Leases. */
  private String versionOfLeases() {
    return transport.list(
        LEASES.path(settings.namespace()),
        Map.of("labelSelector", ReplicaLeaseTable.LABEL + "=" + settings.leasePrefix()),
        ApiTransport.JSON,
        () -> {},
        _ -> {});
  }

  private static StoredSlotMap stored(JsonObject found, long sent) throws SlotMapException {
    Map<String, String> data = new LinkedHashMap<>();
    if (found.get("data") instanceof JsonObject present) {
      for (Map.Entry<String, JsonElement> entry : present.entrySet()) {
        data.put(entry.getKey(), entry.getValue().getAsString());
      }
    }
    JsonObject metadata = found.getAsJsonObject("metadata");
    return stored(
        metadata.get("uid").getAsString(),
        metadata.get("resourceVersion").getAsString(),
        data,
        sent);
  }

  /** Returns a version of the map from its parts. */
  public static StoredSlotMap stored(
      String uid, String resourceVersion, Map<String, String> data, long sent)
      throws SlotMapException {
    return new StoredSlotMap(
        uid, Long.parseLong(resourceVersion), SlotMapFormat.decode(data), sent);
  }
}
