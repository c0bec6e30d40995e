// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Requests of the suite to the API server.
 *
 * <p>Thread rule: any thread; calls block.
 */
final class ServerCalls implements AutoCloseable {
  static final String NAMESPACE = "default";
  static final String OBJECTS =
      "/apis/bench.coxswain.dev/v1/namespaces/" + NAMESPACE + "/recordedobjects";
  static final String DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

  private static final String LEASES =
      "/apis/coordination.k8s.io/v1/namespaces/" + NAMESPACE + "/leases";
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final URI server;
  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  ServerCalls(URI server) {
    this.server = server;
  }

  JsonObject get(String path) throws IOException {
    return send("GET", path, "", "application/json");
  }

  JsonObject create(String path, String object) throws IOException {
    return send("POST", path, object, "application/json");
  }

  JsonObject patch(String path, String patch) throws IOException {
    return send("PATCH", path, patch, "application/merge-patch+json");
  }

  /** Returns the holders of the replica Leases, by the names of the Leases. */
  Map<String, String> holders() throws IOException {
    Map<String, String> holders = new TreeMap<>();
    for (Object item : get(LEASES).getJsonArray("items", new JsonArray())) {
      JsonObject lease = (JsonObject) item;
      String name = lease.getJsonObject("metadata").getString("name");
      if (name.startsWith("coxswain-replica-")) {
        holders.put(name, lease.getJsonObject("spec").getString("holderIdentity", ""));
      }
    }
    return holders;
  }

  /** Opens a watch; the lines end with the connection. A refusal is an ERROR event. */
  Stream<String> watch(String path) throws IOException {
    HttpResponse<Stream<String>> response =
        exchange(HttpRequest.newBuilder(server.resolve(path)).build(), BodyHandlers.ofLines());
    if (response.statusCode() != 200) {
      response.body().close();
      return Stream.of("{\"type\": \"ERROR\"}");
    }
    return response.body();
  }

  private JsonObject send(String method, String path, String body, String type) throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(server.resolve(path))
            .timeout(LIMIT)
            .header("Content-Type", type)
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> response = exchange(request, BodyHandlers.ofString());
    if (response.statusCode() / 100 != 2) {
      throw new IOException(
          method + " " + path + " answered " + response.statusCode() + ": " + response.body());
    }
    return new JsonObject(response.body());
  }

  private <T> HttpResponse<T> exchange(HttpRequest request, HttpResponse.BodyHandler<T> handler)
      throws IOException {
    try {
      return http.send(request, handler);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
