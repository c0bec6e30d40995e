// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.host.Host;
import dev.coxswain.host.config.ConfigurationLoader;
import dev.coxswain.host.config.CoxswainConfiguration;
import dev.coxswain.host.config.SharedLimiter;
import dev.coxswain.host.metrics.HostMetrics;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.lease.LeaseOptions;
import dev.coxswain.k8s.lease.SeatOptions;
import dev.coxswain.k8s.lease.Seats;
import dev.coxswain.time.Clock;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the admin API sets reaches the shared limiter, as long as a majority is there. */
class LimiterOverridesTest {

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Kubernetes kubernetes = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);
  private final CoxswainConfiguration configuration =
      ConfigurationLoader.load(
          null,
          Map.of(),
          List.of(
              "replicaName=one",
              "admin.port=0",
              "admin.auth.mode=none",
              "metrics.port=0",
              "health.port=0",
              "sharedLimiter.enabled=true",
              "sharedLimiter.port=0",
              "limiters.default={rate: 10, burst: 100, maxRate: 20, maxBurst: 200}"));
  private final Host host =
      new Host(configuration, List.of(), kubernetes, new HostMetrics("one"), Clock.system());
  private final HttpClient http = HttpClient.newHttpClient();
  private final List<Seats> others = new ArrayList<>();

  @BeforeEach
  void start() {
    host.start().await();
    await(() -> {
      JsonNode limiter = shown();
      return limiter.path("mode").asText().equals("hazelcast")
          && !limiter.path("degraded").asBoolean(true);
    });
  }

  @AfterEach
  void stop() {
    others.forEach(seats -> seats.stop().await());
    host.stop().await();
    http.close();
    server.close();
  }

  @Test
  void anOverride_holdsUntilItsEnd_withinItsCeiling() throws IOException {
    JsonNode set = json(change("PATCH", "", "{\"rate\":20,\"ttl\":\"1h\",\"reason\":\"x\"}", 200));
    assertThat(set.path("refillPerSecond").asDouble()).isEqualTo(20);
    assertThat(set.path("capacity").asInt()).isEqualTo(100);
    assertThat(set.path("source").asText()).isEqualTo("override");
    assertThat(set.path("expiresAt").asText()).endsWith("Z");
    String beyond = "{\"rate\":20.5,\"burst\":100,\"ttl\":\"1h\",\"reason\":\"x\"}";
    assertThat(change("PATCH", "", beyond, 422))
        .contains("override-refused", "limiters.default.maxRate = 20.0");
    String tooSmall = "{\"rate\":20,\"burst\":1,\"ttl\":\"1h\",\"reason\":\"x\"}";
    assertThat(change("PATCH", "", tooSmall, 422)).contains("limiters.default.burst: 1");
    assertThat(shown().path("refillPerSecond").asDouble()).isEqualTo(20);
    change("DELETE", "/override", "{\"reason\":\"x\"}", 200);
    assertThat(shown().path("source").asText()).isEqualTo("config");
    assertThat(shown().path("refillPerSecond").asDouble()).isEqualTo(10);
    change("PATCH", "", "{\"burst\":50,\"ttl\":\"1s\",\"reason\":\"x\"}", 200);
    await(() -> shown().path("source").asText().equals("config"));
    assertThat(shown().path("capacity").asInt()).isEqualTo(100);
  }

  @Test
  void withoutAMajorityOfTheReplicas_itIsRefused_andNothingChanges() {
    others.add(sits("two"));
    others.add(sits("three"));
    await(() -> others.stream().allMatch(Seats::mayAct));
    String half = "{\"rate\":5,\"ttl\":\"1h\",\"reason\":\"x\"}";
    await(() -> send("PATCH", "", half).body().contains("no-quorum"));
    assertThat(change("PATCH", "", half, 503)).contains("nothing was changed");
    assertThat(change("DELETE", "/override", "{\"reason\":\"x\"}", 503)).contains("no-quorum");
  }

  /** A replica whose member does not run. */
  private Seats sits(String replica) {
    SharedLimiter shared = configuration.sharedLimiter();
    Seats seats =
        new Seats(
            kubernetes.transport(),
            new SeatOptions(
                shared.namespace(),
                shared.name(),
                shared.maxReplicas(),
                replica,
                configuration.memberOptions().generationName(),
                new LeaseOptions(
                    shared.leaseDuration(), shared.renewDeadline(), shared.renewPeriod())),
            Clock.system());
    seats.start();
    return seats;
  }

  private JsonNode shown() {
    try {
      return json(send("GET", "", "").body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static JsonNode json(String text) throws IOException {
    return new ObjectMapper().readTree(text);
  }

  private String change(String method, String path, String body, int status) {
    HttpResponse<String> answer = send(method, path, body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    return answer.body();
  }

  private HttpResponse<String> send(String method, String path, String body) {
    URI address = URI.create(host.report().admin() + "/api/v1/limiters/default" + path);
    HttpRequest.Builder request = HttpRequest.newBuilder(address);
    try {
      return http.send(
          body.isEmpty()
              ? request.build()
              : request
                  .header("Content-Type", "application/json")
                  .method(method, BodyPublishers.ofString(body))
                  .build(),
          HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(90);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as("did not become true within 90 s").isNegative();
      LockSupport.parkNanos(100_000_000);
    }
  }
}
