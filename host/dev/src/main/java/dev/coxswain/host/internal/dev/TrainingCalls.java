// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.host.internal.ReplicaReport;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The requests of the training run: typical ones of users, scrapers and probes, below the rate
 * limit of a caller.
 *
 * <p>Thread rule: one thread, which is blocked.
 */
final class TrainingCalls {

  /** More rounds do not make the start or the first requests faster. */
  private static final int ROUNDS = 3;

  /**
   * Hazelcast members need some seconds to join, and the code that runs then is recorded as well.
   */
  private static final int MOST_ROUNDS = 10;

  /** A round takes half of the requests that a caller may send to a replica in a second. */
  private static final Duration PAUSE = Duration.ofMillis(500);

  private static final int BAD_REQUEST = 400;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final String TRIALS = "/api/v1/controllers/error-backoff";

  /** Three of its objects fail, so there are items to read. */
  private static final List<String> READS =
      List.of(
          "/dashboard/",
          "/api/v1/controllers",
          TRIALS,
          TRIALS + "/items?limit=100",
          TRIALS + "/items?failing=true&namespace=default",
          TRIALS + "/stats",
          "/api/v1/limiters",
          "/api/v1/replicas",
          "/api/v1/operations",
          "/api/v1/audit?limit=100");

  private static final String PREVIEW =
      """
      {"action": "flush", "dryRun": true, "selector": {"failing": true}, "reason": "training"}\
      """;

  private static final String FLUSH =
      """
      {"action": "flush", "selector": {"failing": true}, "reason": "training"}\
      """;

  private static final String RETRY =
      """
      {"reason": "training"}\
      """;

  private final String token;
  private final List<ReplicaReport> replicas;
  private final StallLimit limit;

  TrainingCalls(String token, List<ReplicaReport> replicas, StallLimit limit) {
    this.token = token;
    this.replicas = replicas;
    this.limit = limit;
  }

  void run() throws HostException {
    try {
      for (int i = 0; i < ROUNDS || (i < MOST_ROUNDS && degraded()); i++) {
        for (ReplicaReport replica : replicas) {
          round(replica);
        }
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    } catch (IOException e) {
      throw new HostException("a call of the training run failed: " + e.getMessage(), e);
    }
  }

  /** Returns whether a limiter is degraded. */
  private boolean degraded() throws IOException, HostException {
    String limiters = replicas.getFirst().admin() + "/api/v1/limiters?scope=local";
    for (JsonNode one : JSON.readTree(call("GET", limiters, null, "*/*")).path("items")) {
      if (one.path("degraded").asBoolean()) {
        return true;
      }
    }
    return false;
  }

  private void round(ReplicaReport replica) throws IOException, HostException {
    String admin = replica.admin();
    call("GET", replica.health() + "/readyz", null, "*/*");
    call("GET", replica.metrics() + "/metrics", null, "*/*");
    for (String path : READS) {
      call("GET", admin + path, null, "*/*");
    }
    JsonNode items =
        JSON.readTree(call("GET", admin + TRIALS + "/items?failing=true", null, "*/*"))
            .path("items");
    if (!items.isEmpty()) {
      String item = admin + TRIALS + "/items/" + items.get(0).path("id").asText();
      call("GET", item + "/explain", null, "*/*");
      call("POST", item + "/retry", RETRY, "*/*");
    }
    call("POST", admin + TRIALS + "/operations", PREVIEW, "*/*");
    call("POST", admin + TRIALS + "/operations", FLUSH, "*/*");
  }

  /** Returns the response, also when a change is refused because of the state of an item. */
  private String call(String method, String url, @Nullable String body, String accept)
      throws IOException, HostException {
    long deadline = System.nanoTime() + limit.length().toNanos();
    while (true) {
      HttpURLConnection connection = open(method, url, body, accept);
      int status = connection.getResponseCode();
      try (InputStream in =
          status < BAD_REQUEST ? connection.getInputStream() : connection.getErrorStream()) {
        String answer = in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        if (status != TOO_MANY_REQUESTS) {
          return answer;
        }
      }
      if (System.nanoTime() > deadline) {
        throw new HostException(url + " was rate-limited for too long");
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  private HttpURLConnection open(String method, String url, @Nullable String body, String accept)
      throws IOException {
    HttpURLConnection connection = (HttpURLConnection) URI.create(url).toURL().openConnection();
    connection.setRequestMethod(method);
    connection.setConnectTimeout(limit.millis());
    connection.setReadTimeout(limit.millis());
    connection.setRequestProperty("Authorization", "Bearer " + token);
    connection.setRequestProperty("Accept", accept);
    if (body != null) {
      connection.setRequestProperty("Content-Type", "application/json");
      connection.setDoOutput(true);
      try (OutputStream out = connection.getOutputStream()) {
        out.write(body.getBytes(StandardCharsets.UTF_8));
      }
    }
    return connection;
  }
}
