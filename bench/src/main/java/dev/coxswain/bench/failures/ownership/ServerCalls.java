// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import dev.coxswain.testing.process.HttpCalls;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Requests of the suite to the API server.
 */
final class ServerCalls {
  private static final String NAMESPACE = "/namespaces/default/";
  private static final String OBJECTS =
      "/apis/bench.coxswain.dev/v1" + NAMESPACE + "recordedobjects";
  private static final String LEASES = "/apis/coordination.k8s.io/v1" + NAMESPACE + "leases";
  private static final String DEFINITIONS =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

  private final HttpCalls http;

  ServerCalls(URI server) {
    http = new HttpCalls(server);
  }

  void define(String definition) throws IOException {
    http.send("POST", DEFINITIONS, new JsonObject(definition));
  }

  void create(JsonObject object) throws IOException {
    http.send("POST", OBJECTS, object);
  }

  /** Changes a field of the spec of an object and returns the object. */
  JsonObject change(String key, String field, Object value) throws IOException {
    JsonObject spec = new JsonObject().put(field, value);
    return http.send("PATCH", OBJECTS + "/" + key, new JsonObject().put("spec", spec));
  }

  JsonObject list() throws IOException {
    return http.get(OBJECTS);
  }

  /** Returns the holders of the replica Leases, by the names of the Leases. */
  Map<String, String> holders() throws IOException {
    Map<String, String> holders = new TreeMap<>();
    for (JsonObject lease : items(http.get(LEASES))) {
      String name = lease.getJsonObject("metadata").getString("name");
      if (name.startsWith("coxswain-replica-")) {
        holders.put(name, lease.getJsonObject("spec").getString("holderIdentity", ""));
      }
    }
    return holders;
  }

  static List<JsonObject> items(JsonObject list) {
    return list.getJsonArray("items", new JsonArray()).stream()
        .map(JsonObject.class::cast)
        .toList();
  }

  /** Opens a watch of the objects; the lines end with the connection. */
  BufferedReader watch(String version) throws IOException {
    return new BufferedReader(
        new InputStreamReader(
            http.open(OBJECTS + "?watch=true&resourceVersion=" + version, "application/json"),
            StandardCharsets.UTF_8));
  }
}
