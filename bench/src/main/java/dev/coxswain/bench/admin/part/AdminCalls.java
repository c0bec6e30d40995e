// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin.part;

import dev.coxswain.bench.run.HttpCalls;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/**
 * Calls of one replica's admin API.
 *
 * <p>Thread rule: any thread; calls block.
 */
public final class AdminCalls implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI base;
  private final String token;

  public AdminCalls(URI base, String token) {
    this.base = base;
    this.token = token;
  }

  /** Returns what is there; an answer that is not a success is an error. */
  public JsonObject get(String path) throws IOException {
    return new JsonObject(send(request(path).GET().build()));
  }

  JsonObject post(String path, JsonObject body) throws IOException {
    return change("POST", path, body);
  }

  JsonObject delete(String path, JsonObject body) throws IOException {
    return change("DELETE", path, body);
  }

  private JsonObject change(String method, String path, JsonObject body) throws IOException {
    return new JsonObject(
        send(
            request(path)
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body.encode()))
                .build()));
  }

  /** Reads a dump to its end and returns how many lines it had. */
  long countLines(String path) throws IOException {
    HttpRequest request = request(path).setHeader("Accept", "application/x-ndjson").GET().build();
    HttpResponse<InputStream> response =
        HttpCalls.send(http, request, BodyHandlers.ofInputStream());
    long lines = 0;
    byte[] buffer = new byte[1 << 16];
    try (InputStream body = response.body()) {
      for (int read = body.read(buffer); read >= 0; read = body.read(buffer)) {
        for (int i = 0; i < read; i++) {
          if (buffer[i] == '\n') {
            lines++;
          }
        }
      }
    }
    if (response.statusCode() != 200) {
      throw new IOException(request.uri() + " answered " + response.statusCode());
    }
    return lines;
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(base.resolve(path))
        .timeout(LIMIT)
        .header("Authorization", "Bearer " + token);
  }

  private String send(HttpRequest request) throws IOException {
    HttpResponse<String> response = HttpCalls.send(http, request, BodyHandlers.ofString());
    if (response.statusCode() / 100 != 2) {
      throw new IOException(
          request.method()
              + " "
              + request.uri()
              + " answered "
              + response.statusCode()
              + ": "
              + response.body());
    }
    return response.body();
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
