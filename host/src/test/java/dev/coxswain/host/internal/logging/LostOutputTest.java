// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.logging;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Hosts in processes of their own whose standard output takes nothing any more. */
class LostOutputTest {

  private final HttpClient http = HttpClient.newHttpClient();
  private final List<Process> processes = new ArrayList<>();

  @AfterEach
  void close() {
    processes.forEach(Process::destroyForcibly);
    http.close();
  }

  private Process start() throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                HostProcess.class.getName())
            .start();
    processes.add(process);
    return process;
  }

  private static JsonNode report(Process process) throws Exception {
    BufferedReader errors = process.errorReader();
    for (String line = errors.readLine(); line != null; line = errors.readLine()) {
      if (line.startsWith("{")) {
        return new ObjectMapper().readTree(line);
      }
    }
    throw new IllegalStateException("the process has ended");
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return http.send(
        request.timeout(Duration.ofSeconds(30)).build(), HttpResponse.BodyHandlers.ofString());
  }

  private void assertServesAndRefusesChanges(JsonNode report) throws Exception {
    String admin = report.path("admin").asText() + "/api/v1/controllers";
    HttpResponse<String> changed =
        send(
            HttpRequest.newBuilder(URI.create(admin + "/quiet/pause"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"reason\":\"x\"}")));
    assertThat(changed.statusCode()).as(changed.body()).isEqualTo(503);
    assertThat(changed.body()).contains("audit-unavailable");
    HttpResponse<String> seen = send(HttpRequest.newBuilder(URI.create(admin + "/quiet")));
    assertThat(seen.statusCode()).isEqualTo(200);
    assertThat(seen.body()).doesNotContain("\"pause\":{").doesNotContain("\"paused\":true");
    String health = report.path("health").asText();
    assertThat(send(HttpRequest.newBuilder(URI.create(health + "/livez"))).statusCode())
        .isEqualTo(200);
    String metrics =
        send(HttpRequest.newBuilder(URI.create(report.path("metrics").asText() + "/metrics")))
            .body();
    assertThat(metrics).containsPattern("(?m)^coxswain_audit_failures_total [1-9]");
    assertThat(metrics).containsPattern("(?m)^coxswain_log_lines_dropped_total [1-9]");
  }

  /** The change was made, and the event loops stood still as soon as the pipe was full. */
  @Test
  void aHostWhoseOutputNobodyReads_serves_andRefusesChanges() throws Exception {
    assertServesAndRefusesChanges(report(start()));
  }

  @Test
  void aHostWhoseOutputIsClosed_serves_andRefusesChanges() throws Exception {
    Process process = start();
    process.getInputStream().close();
    assertServesAndRefusesChanges(report(process));
  }
}
