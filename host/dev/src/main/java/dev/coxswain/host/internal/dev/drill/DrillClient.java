// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.drill;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.host.internal.dev.drill.DrillState.Cause;
import dev.coxswain.host.internal.dev.drill.herd.HerdDefinition;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads the state of a drill, as its reader could: from the admin API of one replica, and the quota
 * from the API server.
 *
 * <p>Thread rule: one thread, which is blocked.
 */
final class DrillClient implements AutoCloseable {

  private static final String QUOTA_PATH =
      "/api/v1/namespaces/default/configmaps/" + HerdDefinition.QUOTA;
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final int OK = 200;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http = HttpClient.newHttpClient();
  private final String admin;
  private final String token;
  private final String apiServer;

  /** When the quota was too small last. */
  private Instant failedUntil = Instant.EPOCH;

  /**
   * Creates a client.
   *
   * @param admin the address of the admin API of a replica that stays
   */
  DrillClient(String admin, String token, String apiServer) {
    this.admin = admin;
    this.token = token;
    this.apiServer = apiServer;
  }

  /**
   * Reads the state.
   *
   * @throws IOException when a part of it cannot be read now
   */
  DrillState read() throws IOException, InterruptedException {
    List<Cause> causes = new ArrayList<>();
    for (JsonNode one : get(admin + "/api/v1/causes").path("items")) {
      causes.add(
          new Cause(
              one.path("id").asText(),
              one.path("controller").asText(),
              one.path("items").asLong(),
              one.hasNonNull("pause")));
    }
    Set<String> paused = new HashSet<>();
    for (JsonNode one : get(admin + "/api/v1/controllers").path("items")) {
      if (one.path("paused").asBoolean()) {
        paused.add(one.path("name").asText());
      }
    }
    JsonNode limiter = get(admin + "/api/v1/limiters/default");
    Instant now = Instant.now();
    boolean repaired =
        get(apiServer + QUOTA_PATH).path("data").path(HerdDefinition.LIMIT).asInt()
            > HerdDefinition.USED;
    if (!repaired) {
      failedUntil = now;
    }
    return new DrillState(
        causes,
        paused,
        limiter.path("refillPerSecond").asDouble(),
        limiter.path("degraded").asBoolean(),
        limiter.path("source").asText().equals("override"),
        repaired,
        repaired ? retried() : Set.of());
  }

  /** Returns the causes that operations retry which began after the repair. */
  private Set<String> retried() throws IOException, InterruptedException {
    Set<String> causes = new HashSet<>();
    for (JsonNode one : get(admin + "/api/v1/operations").path("items")) {
      String cause = one.path("selector").path("cause").asText();
      if (one.path("action").asText().equals("retry")
          && !cause.isEmpty()
          && Instant.parse(one.path("startedAt").asText()).isAfter(failedUntil)) {
        causes.add(cause);
      }
    }
    return causes;
  }

  private JsonNode get(String url) throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url)).timeout(LIMIT);
    if (!token.isEmpty() && url.startsWith(admin)) {
      request.header("Authorization", "Bearer " + token);
    }
    HttpResponse<byte[]> response =
        http.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
    if (response.statusCode() != OK) {
      throw new IOException(url + " responds with " + response.statusCode());
    }
    return JSON.readTree(response.body());
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
