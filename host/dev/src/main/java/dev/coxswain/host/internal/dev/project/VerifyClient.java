// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.project;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the state of controllers from the admin API of their replica.
 *
 * <p>Thread rule: one thread, which is blocked.
 */
final class VerifyClient implements AutoCloseable {

  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final int OK = 200;
  private static final int SHOWN = 3;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http = HttpClient.newHttpClient();
  private final String admin;
  private final String token;

  /**
   * Creates a client.
   *
   * @param admin the address of the admin API
   */
  VerifyClient(String admin, String token) {
    this.admin = admin;
    this.token = token;
  }

  /**
   * A controller.
   *
   * @param name its name
   * @param state its state
   * @param error why it has failed; empty otherwise
   * @param busy items that are ready, wait for a token or are in flight
   * @param failing items whose last attempt failed
   */
  record Look(String name, String state, String error, long busy, long failing) {
    boolean runs() {
      return state.equals("running");
    }

    boolean isQuiet() {
      return runs() && busy == 0 && failing == 0;
    }

    String describe() {
      return runs()
          ? "%s: %d busy, %d failing".formatted(name, busy, failing)
          : "%s: %s %s".formatted(name, state, error).strip();
    }
  }

  List<Look> controllers() throws IOException, InterruptedException {
    List<Look> looks = new ArrayList<>();
    for (JsonNode one : get("/api/v1/controllers").path("items")) {
      JsonNode counts = one.path("counts");
      looks.add(
          new Look(
              one.path("name").asText(),
              one.path("state").asText(),
              one.path("error").asText(),
              counts.path("ready").asLong()
                  + counts.path("waitingToken").asLong()
                  + counts.path("inFlight").asLong(),
              one.path("failing").asLong()));
    }
    return looks;
  }

  /**
   * Returns the names of caches.
   *
   * @param synced whether those that have a complete list, or the others with their problems
   */
  List<String> caches(boolean synced) throws IOException, InterruptedException {
    List<String> names = new ArrayList<>();
    for (JsonNode one : get("/api/v1/caches").path("items")) {
      if (one.path("synced").asBoolean() == synced) {
        names.add((one.path("name").asText() + " " + one.path("problem").asText()).strip());
      }
    }
    return names;
  }

  /** Returns the first few failures of a controller. */
  List<String> failures(String controller) throws IOException, InterruptedException {
    String path = URLEncoder.encode(controller, StandardCharsets.UTF_8);
    List<String> lines = new ArrayList<>();
    for (JsonNode one :
        get("/api/v1/controllers/%s/items?failing=true&limit=%d".formatted(path, SHOWN))
            .path("items")) {
      JsonNode key = one.path("key");
      lines.add(
          "%s: %s/%s: %s"
              .formatted(
                  controller,
                  key.path("namespace").asText(),
                  key.path("name").asText(),
                  one.path("lastError").asText()));
    }
    return lines;
  }

  private JsonNode get(String path) throws IOException, InterruptedException {
    HttpResponse<byte[]> response =
        http.send(
            HttpRequest.newBuilder(URI.create(admin + path))
                .timeout(LIMIT)
                .header("Authorization", "Bearer " + token)
                .build(),
            HttpResponse.BodyHandlers.ofByteArray());
    if (response.statusCode() != OK) {
      throw new IOException(path + " responds with " + response.statusCode());
    }
    return JSON.readTree(response.body());
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
