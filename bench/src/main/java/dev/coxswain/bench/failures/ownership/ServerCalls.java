// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import dev.coxswain.bench.failures.recorder.RecordedObject;
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
  private static final String GROUP = "/apis/bench.coxswain.dev/v1";
  private static final String NAMESPACES = "/api/v1/namespaces";
  private static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  private static final String DEFINITIONS =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

  /** The namespaces of the objects when the replicas divide by namespace. */
  private static final int TEAMS = 200;

  private final HttpCalls http;
  private final boolean inTeams;

  /**
   * Creates the calls.
   *
   * @param inTeams whether the objects are in many namespaces, instead of in one
   */
  ServerCalls(URI server, boolean inTeams) {
    http = new HttpCalls(server);
    this.inTeams = inTeams;
  }

  /** Creates what the objects need. */
  void prepare() throws IOException {
    define(RecordedObject.DEFINITION);
    for (int i = 0; inTeams && i < TEAMS; i++) {
      JsonObject metadata = new JsonObject().put("name", "team-" + i);
      http.send("POST", NAMESPACES, new JsonObject().put("metadata", metadata));
    }
  }

  /** Returns the namespace of an object. */
  String namespace(String key) {
    int number = Integer.parseInt(key.substring(key.lastIndexOf('-') + 1));
    return inTeams ? "team-" + number % TEAMS : "default";
  }

  private String objects(String key) {
    return GROUP + "/namespaces/" + namespace(key) + "/recordedobjects";
  }

  private void define(String definition) throws IOException {
    http.send("POST", DEFINITIONS, new JsonObject(definition));
  }

  void create(String key, JsonObject object) throws IOException {
    http.send("POST", objects(key), object);
  }

  /** Changes a field of the spec of an object and returns the object. */
  JsonObject change(String key, String field, Object value) throws IOException {
    JsonObject spec = new JsonObject().put(field, value);
    return http.send("PATCH", objects(key) + "/" + key, new JsonObject().put("spec", spec));
  }

  JsonObject list() throws IOException {
    return http.get(GROUP + "/recordedobjects");
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
            http.open(
                GROUP + "/recordedobjects?watch=true&resourceVersion=" + version,
                "application/json"),
            StandardCharsets.UTF_8));
  }
}
