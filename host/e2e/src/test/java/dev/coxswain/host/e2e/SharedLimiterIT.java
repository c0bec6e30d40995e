// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.testing.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three real processes, one budget: the cap holds, also when one of them is killed. */
class SharedLimiterIT {

  private static final Duration AWAIT_LIMIT = Duration.ofMinutes(3);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int RATE = 10;
  private static final int BURST = 20;

  @TempDir private Path folder;
  private final HttpClient http = HttpClient.newHttpClient();
  private String token = "none";

  @AfterEach
  void close() {
    http.close();
  }

  @Test
  void threeReplicas_startNoMoreRetriesThanTheCap_alsoWhenOneIsKilled_andTheOthersGoOn()
      throws Exception {
    Path starts = Files.createDirectory(folder.resolve("starts"));
    try (Launcher dev =
        Launcher.start(
            folder,
            Map.of("COXSWAIN_CLASSPATH", FailingPlugin.put(folder).toString()),
            "dev",
            "--json",
            "--ports=auto",
            "--replicas=3",
            "--set=logging.level=error",
            "--set=membership.leaseDuration=12s",
            "--set=limiters.default={rate: " + RATE + ", burst: " + BURST + "}",
            "--set=controllers.failing.config.folder=" + starts)) {
      JsonNode report = JSON.readTree(dev.firstLine());
      token = report.get("adminToken").asText();
      JsonNode replicas = report.get("replicas");
      List<ProcessHandle> children = new ArrayList<>();
      List<Path> records = new ArrayList<>();
      for (JsonNode replica : replicas) {
        children.add(dev.child(replica.get("pid").asLong()));
        records.add(starts.resolve(replica.get("pid").asLong() + ".starts"));
        assertThat(replica.get("limiter").asText()).startsWith("127.0.0.1:");
      }
      for (JsonNode replica : replicas) {
        Await.until("every replica to use the pool", AWAIT_LIMIT, () -> fromPool(replica) > 0);
        JsonNode limiter = get(replica.get("admin").asText() + "/api/v1/limiters/default");
        assertThat(limiter.get("mode").asText()).isEqualTo("hazelcast");
      }
      slowDownAndBack(replicas);
      long before = count(records);
      Await.until("some time of all three", AWAIT_LIMIT, () -> count(records) > before + 100);
      assertThat(text(replicas.get(0).get("metrics").asText() + "/metrics"))
          .contains("coxswain_limiter_members 3.0", "coxswain_replica_leases_held 3.0");

      children.get(1).destroyForcibly();

      Await.until(
          "the message on the screen",
          AWAIT_LIMIT,
          () -> dev.errors().contains("exit code 137, 2 of 3 still running"));
      List<Path> others = List.of(records.get(0), records.get(2));
      for (Path other : others) {
        long then = count(List.of(other));
        Await.until("the others to go on", AWAIT_LIMIT, () -> count(List.of(other)) > then + 20);
      }
      for (int i : List.of(0, 2)) {
        JsonNode replica = replicas.get(i);
        long then = fromPool(replica);
        Await.until(
            "the others to go on with the pool", AWAIT_LIMIT, () -> fromPool(replica) > then + 20);
      }
      Await.until(
          "the expired replica Lease to be released",
          AWAIT_LIMIT,
          () ->
              text(replicas.get(0).get("metrics").asText() + "/metrics")
                  .contains("coxswain_replica_leases_held 2.0"));

      dev.terminate();
      assertThat(dev.exitCode()).as(dev.errors()).isZero();
    }

    assertThat(check(starts, RATE, BURST)).contains("3 files: the cap was kept");
    // The check can fail: half the rate has certainly been exceeded.
    assertThat(check(starts, RATE / 2.0, BURST)).contains("the cap was EXCEEDED");
  }

  /** What is set at one replica holds on all of them, and is ended at any. */
  private void slowDownAndBack(JsonNode replicas) throws Exception {
    String limiter = "/api/v1/limiters/default";
    String order = "{\"rate\":5,\"ttl\":\"10m\",\"reason\":\"test\"}";
    send(replicas.get(0), "PATCH", limiter, order);
    for (JsonNode replica : replicas) {
      String address = replica.get("admin").asText() + limiter;
      Await.until(
          "the override",
          AWAIT_LIMIT,
          () -> get(address).get("source").asText().equals("override"));
      assertThat(get(address).get("refillPerSecond").asDouble()).isEqualTo(5);
    }
    send(replicas.get(2), "DELETE", limiter + "/override", "{\"reason\":\"test\"}");
    for (JsonNode replica : replicas) {
      String address = replica.get("admin").asText() + limiter;
      Await.until(
          "its end", AWAIT_LIMIT, () -> get(address).get("source").asText().equals("config"));
    }
  }

  private void send(JsonNode replica, String method, String path, String body) throws Exception {
    HttpResponse<String> response =
        http.send(
            HttpRequest.newBuilder(URI.create(replica.get("admin").asText() + path))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
  }

  /** Runs the command that checks recorded starts. */
  private String check(Path starts, double rate, int burst) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("limiter", "check"));
    try (Stream<Path> files = Files.list(starts)) {
      files.map(Path::toString).forEach(arguments::add);
    }
    arguments.addAll(List.of("--rate=" + rate, "--burst=" + burst));
    try (Launcher check = Launcher.start(folder, Map.of(), arguments.toArray(String[]::new))) {
      int code = check.exitCode();
      assertThat(code).isEqualTo(check.output().contains("EXCEEDED") ? 1 : 0);
      return check.output();
    }
  }

  private static long count(List<Path> records) throws IOException {
    long count = 0;
    for (Path record : records) {
      count += Files.exists(record) ? Files.readAllLines(record).size() : 0;
    }
    return count;
  }

  private long fromPool(JsonNode replica) throws Exception {
    String sample = "coxswain_limiter_granted_total{limiter=\"default\",source=\"pool\"} ";
    return text(replica.get("metrics").asText() + "/metrics")
        .lines()
        .filter(line -> line.startsWith(sample))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(sample.length())))
        .findFirst()
        .orElse(0);
  }

  private JsonNode get(String url) throws Exception {
    return JSON.readTree(text(url));
  }

  private String text(String url) throws Exception {
    HttpResponse<String> response =
        http.send(
            HttpRequest.newBuilder(URI.create(url))
                .header("Authorization", "Bearer " + token)
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(url + " " + response.body()).isEqualTo(200);
    return response.body();
  }
}
