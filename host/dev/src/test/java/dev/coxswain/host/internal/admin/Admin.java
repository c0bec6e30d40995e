// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.host.internal.Host;
import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.reader.ConfigurationException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A client of the admin API of a host without authentication. */
final class Admin implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Host host;
  private final HttpClient http = HttpClient.newHttpClient();

  Admin(Host host) {
    this.host = host;
  }

  /** Returns the configuration of such a host, on free ports. */
  static CoxswainConfiguration configuration(String replica, String... more) {
    List<String> settings = new ArrayList<>(List.of(more));
    settings.add("replicaName=" + replica);
    settings.add("admin.auth.mode=none");
    for (String port : List.of("admin", "metrics", "health")) {
      settings.add(port + ".port=0");
    }
    try {
      return ConfigurationLoader.load(null, Map.of(), settings);
    } catch (ConfigurationException e) {
      throw new AssertionError(e);
    }
  }

  JsonNode get(String path) {
    return json(send(request(path)).body());
  }

  /** Returns the response of the readiness probe, with all checks. */
  HttpResponse<String> readiness() {
    return send(HttpRequest.newBuilder(URI.create(host.report().health() + "/readyz?verbose")));
  }

  /** Changes something, and returns what comes back when its status is the expected one. */
  JsonNode change(String method, String path, String body, int status) {
    HttpResponse<String> answer = change(method, path, body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    return json(answer.body());
  }

  HttpResponse<String> change(String method, String path, String body) {
    return send(
        request(path)
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body)));
  }

  /**
   * Pauses a controller. The first pause of a cold process on a busy machine may take longer than
   * the API waits, and is then repeated.
   */
  void pause(String controller, String body) {
    await(() -> change("POST", "/controllers/" + controller + "/pause", body).statusCode() == 200);
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(host.report().admin() + "/api/v1" + path));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      for (int i = 0; ; i++) { // callers may send a few changes per second; this one waits
        HttpResponse<String> answer =
            http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 429 || i == 600) {
          return answer;
        }
        LockSupport.parkNanos(100_000_000);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (IOException e) {
      throw new UncheckedIOException(text, e);
    }
  }

  @Override
  public void close() {
    http.close();
  }

  static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as("did not become true within 90 s").isNegative();
      LockSupport.parkNanos(20_000_000);
    }
  }
}
