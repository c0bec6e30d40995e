// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Prometheus server of Debian's package. It scrapes replicas each second, with the labels that the
 * ServiceMonitor of the chart gives.
 */
final class Prometheus implements AutoCloseable {

  private static final Duration LIMIT = Duration.ofMinutes(4);
  private static final Pattern ADDRESS =
      Pattern.compile("msg=\"Listening on\" address=(127\\.0\\.0\\.1:\\d+)");
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Process process;
  private final HttpClient http = HttpClient.newHttpClient();
  private final String address;

  private Prometheus(Process process, Path log) throws IOException, InterruptedException {
    this.process = process;
    try {
      this.address = address(log);
    } catch (Throwable e) {
      close();
      throw e;
    }
  }

  /**
   * Starts one.
   *
   * @param folder where its files are
   * @param replicas the addresses of the metrics ports, by name
   */
  static Prometheus start(Path folder, Map<String, String> replicas)
      throws IOException, InterruptedException {
    StringBuilder config =
        new StringBuilder(
            """
            global: {scrape_interval: 1s}
            scrape_configs:
            - job_name: coxswain-metrics
              static_configs:
            """);
    replicas.forEach((name, replica) ->
        config
            .append("  - targets: [\"" + replica + "\"]\n")
            .append(
                "    labels: {namespace: default, service: coxswain-metrics, pod: "
                    + name
                    + "}\n"));
    Path file = Files.writeString(folder.resolve("prometheus.yaml"), config);
    Path log = folder.resolve("prometheus.log");
    return new Prometheus(
        new ProcessBuilder(
                "prometheus",
                "--config.file=" + file,
                "--storage.tsdb.path=" + folder.resolve("prometheus"),
                "--web.listen-address=127.0.0.1:0")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start(),
        log);
  }

  private String address(Path log) throws IOException, InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      String text = Files.readString(log);
      Matcher listening = ADDRESS.matcher(text);
      if (listening.find()) {
        return listening.group(1);
      }
      assertThat(process.isAlive() && System.nanoTime() - end < 0).as(text).isTrue();
      process.waitFor(20, TimeUnit.MILLISECONDS);
    }
  }

  /** Returns the rows of an expression as of now; fails when Prometheus refuses it. */
  JsonNode query(String expression) throws IOException, InterruptedException {
    return get("query?query=" + encoded(expression)).path("result");
  }

  /** Returns the values of a label of the series that a selector matches. */
  JsonNode values(String label, String selector) throws IOException, InterruptedException {
    return get("label/" + label + "/values?match[]=" + encoded(selector));
  }

  /** Waits until an expression has a row. */
  void await(String expression) throws IOException, InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (query(expression).isEmpty()) {
      assertThat(System.nanoTime() - end).as(expression).isNegative();
      process.waitFor(50, TimeUnit.MILLISECONDS);
    }
  }

  private JsonNode get(String path) throws IOException, InterruptedException {
    URI uri = URI.create("http://" + address + "/api/v1/" + path.replace("[]", "%5B%5D"));
    HttpResponse<String> response =
        http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    if (response.statusCode() == 503) {
      return JSON.createObjectNode(); // it is starting
    }
    assertThat(response.statusCode()).as("%s: %s", path, response.body()).isEqualTo(200);
    return JSON.readTree(response.body()).path("data");
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    http.close();
    process.destroyForcibly();
    process.onExit().orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
  }
}
