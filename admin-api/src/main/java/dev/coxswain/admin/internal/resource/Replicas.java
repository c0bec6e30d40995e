// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.admin.spi.ControllerDirectory.ReplicaInfo;
import java.util.Comparator;
import java.util.TreeMap;

/** The JSON of the replicas that share their limiters. Confined to the admin event loop. */
public final class Replicas {

  private Replicas() {}

  public static ObjectNode list(ControllerDirectory directory) {
    ObjectNode json = Json.object();
    json.put("kind", "ReplicaList");
    json.put("replica", directory.replica());
    var items = json.putArray("items");
    directory.replicas().stream()
        .sorted(Comparator.comparingInt(ReplicaInfo::ordinal))
        .forEach(replica -> items.add(view(replica)));
    return json;
  }

  private static ObjectNode view(ReplicaInfo replica) {
    ObjectNode json = Json.object();
    json.put("kind", "Replica");
    json.put("name", Json.clean(replica.name()));
    json.put("ordinal", replica.ordinal());
    Json.putTime(json, "since", replica.since());
    json.put("generation", Json.clean(replica.generation()));
    json.put("pool", replica.pool());
    ObjectNode addresses = json.putObject("addresses");
    new TreeMap<>(replica.addresses())
        .forEach((what, where) -> addresses.put(Json.clean(what), Json.clean(where)));
    return json;
  }
}
