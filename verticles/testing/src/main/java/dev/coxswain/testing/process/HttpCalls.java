// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.process;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Calls of an API with JSON. A response that is not a success is an {@link IOException}, and so is
 * an interrupt, which stays set.
 *
 * <p>Thread rule: any thread, but no event loop; calls block, except {@link #begin}.
 */
public final class HttpCalls {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration SHORT_LIMIT = Duration.ofSeconds(5);

  private final URI base;
  private final String token;

  /** Creates calls without a token. */
  public HttpCalls(URI base) {
    this(base, "");
  }

  private HttpCalls(URI base, String token) {
    this.base = base;
    this.token = token;
  }

  /** Returns the same with a bearer token. */
  public HttpCalls withToken(String bearer) {
    return new HttpCalls(base, bearer);
  }

  public JsonObject get(String path) throws IOException {
    return json(request(path).GET().build());
  }

  /** Sends a body; that of a {@code PATCH} is a merge patch. */
  public JsonObject send(String method, String path, JsonObject body) throws IOException {
    return json(request(method, path, body));
  }

  /** Does the same without waiting, and without a look at the response. */
  public CompletableFuture<HttpResponse<Void>> begin(String method, String path, JsonObject body) {
    return HTTP.sendAsync(request(method, path, body), BodyHandlers.discarding());
  }

  /** Opens what is sent over time, such as a watch. */
  public InputStream open(String path, String type) throws IOException {
    HttpRequest request = request(path).setHeader("Accept", type).GET().build();
    HttpResponse<InputStream> response = exchange(request, BodyHandlers.ofInputStream());
    if (response.statusCode() != 200) {
      response.body().close();
      throw new IOException(request.uri() + " answered " + response.statusCode());
    }
    return response.body();
  }

  /** Returns the text of a response 200; nothing when there is another one, or none soon. */
  public Optional<String> find(String path) {
    HttpRequest request = request(path).timeout(SHORT_LIMIT).GET().build();
    try {
      HttpResponse<String> response = exchange(request, BodyHandlers.ofString());
      return Optional.of(response.body()).filter(_ -> response.statusCode() == 200);
    } catch (IOException _) {
      return Optional.empty(); // it is not there, or cut off
    }
  }

  private HttpRequest request(String method, String path, JsonObject body) {
    return request(path)
        .header(
            "Content-Type",
            method.equals("PATCH") ? "application/merge-patch+json" : "application/json")
        .method(method, BodyPublishers.ofString(body.encode()))
        .build();
  }

  private HttpRequest.Builder request(String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(base.resolve(path)).timeout(LIMIT);
    return token.isEmpty() ? request : request.header("Authorization", "Bearer " + token);
  }

  private static JsonObject json(HttpRequest request) throws IOException {
    HttpResponse<String> response = exchange(request, BodyHandlers.ofString());
    if (response.statusCode() / 100 != 2) {
      throw new IOException(
          "%s %s answered %d: %s"
              .formatted(request.method(), request.uri(), response.statusCode(), response.body()));
    }
    return new JsonObject(response.body());
  }

  private static <T> HttpResponse<T> exchange(
      HttpRequest request, HttpResponse.BodyHandler<T> handler) throws IOException {
    try {
      return HTTP.send(request, handler);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
