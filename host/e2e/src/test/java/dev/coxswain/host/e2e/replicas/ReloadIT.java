// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.host.e2e.controller.FailingController;
import dev.coxswain.host.e2e.process.Distribution;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.Plugins;
import dev.coxswain.retry.WindowChecker;
import dev.coxswain.testing.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process whose configuration changes: a reload and a rejection, seen from outside. */
class ReloadIT {

  private static final Duration LIMIT = Duration.ofSeconds(100);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final HttpClient http = HttpClient.newHttpClient();

  @TempDir private Path folder;
  private String admin = "";
  private String metrics = "";
  private String health = "";

  @AfterEach
  void close() {
    http.close();
    server.close();
  }

  @Test
  void aChange_isInForceWithoutARestart_aFaultyOneIsNot_andTheCapHolds() throws Exception {
    Path file = folder.resolve("coxswain.yaml");
    write(file, 20, 10, 5, "info");
    try (Launcher run = run(file)) {
      admin = "http://127.0.0.1:" + found(run, "admin API listening .*port=(\\d+)");
      metrics = found(run, "server=metrics url=(\\S+)");
      health = found(run, "server=health url=(\\S+)");
      Await.until(LIMIT, () -> limiter().path("granted").asLong() > 20);

      long raising = System.nanoTime();
      write(file, 60, 30, 8, "debug");
      Await.until(LIMIT, () -> configuration().path("reloads").asInt() == 1);
      long raised = System.nanoTime();
      assertThat(configuration().path("state").asText()).isEqualTo("current");
      assertThat(configuration().path("changed").toString())
          .isEqualTo(
              "[\"controllers.failing.concurrency\",\"limiters.default.burst\","
                  + "\"limiters.default.maxBurst\",\"limiters.default.maxRate\","
                  + "\"limiters.default.rate\",\"logging.level\"]");
      assertThat(limiter().path("refillPerSecond").asDouble()).isEqualTo(60);
      Await.until(
          LIMIT,
          () ->
              JSON.readTree(get(admin + "/api/v1/controllers/failing"))
                      .path("maxConcurrent")
                      .asInt()
                  == 8);
      Await.until(LIMIT, () -> run.output().contains(" DEBUG "));
      assertThat(get(metrics + "/metrics"))
          .contains(
              "coxswain_config_last_reload_successful 1.0",
              "coxswain_config_reloads_total{result=\"used\"} 1.0",
              "coxswain_limiter_refill_rate{limiter=\"default\"} 60.0");

      Files.writeString(file, Files.readString(file).replace("rate: 60", "rate: fast"));
      Await.until(LIMIT, () -> configuration().path("state").asText().equals("rejected"));
      String error =
          file
              + ":8: limiters.default.rate: expected a number from 0.001 to 1000000, found \"fast\"";
      assertThat(configuration().at("/errors/0").asText()).isEqualTo(error);
      assertThat(limiter().path("refillPerSecond").asDouble()).isEqualTo(60);
      Await.until(LIMIT, () -> run.output().contains("found \\\"fast\\\""));
      assertThat(run.output()).contains("changed files rejected");
      assertThat(get(metrics + "/metrics"))
          .contains(
              "coxswain_config_last_reload_successful 0.0",
              "coxswain_config_reloads_total{result=\"rejected\"} 1.0",
              "coxswain_controller_condition{controller=\"failing\",type=\"configurationRejected\"}"
                  + " 1.0");
      assertThat(get(health + "/readyz?verbose"))
          .contains("[!]configuration: " + error, "readyz check passed");

      write(file, 60, 30, 8, "debug\ndrainLimit: 7s");
      Await.until(LIMIT, () -> configuration().path("state").asText().equals("restartNeeded"));
      assertThat(configuration().path("needsRestart").toString()).isEqualTo("[\"drainLimit\"]");
      Await.until(LIMIT, () -> run.output().contains("some changed keys need a restart"));
      assertThat(get(metrics + "/metrics")).contains("coxswain_config_restart_needed_keys 1.0");
      run.terminate();
      assertThat(run.exitCode()).as(run.output()).isIn(0, 143);

      long[] starts = starts();
      assertThat(starts.length).isGreaterThan(100);
      WindowChecker.Window worst =
          WindowChecker.worst(
              starts,
              starts.length,
              List.of(
                  new WindowChecker.Limit(starts[0], 20, 10),
                  new WindowChecker.Limit(raising, 60, 30)));
      assertThat(worst.excess()).as("%s, raised at %d", worst, raised).isLessThanOrEqualTo(1);
    }
  }

  private long[] starts() throws IOException {
    try (var files = Files.list(folder)) {
      Path file = files.filter(one -> one.toString().endsWith(".starts")).findFirst().orElseThrow();
      return Files.readAllLines(file).stream().mapToLong(Long::parseLong).sorted().toArray();
    }
  }

  private void write(Path file, int rate, int burst, int concurrency, String level)
      throws IOException {
    Path next =
        Files.writeString(
            folder.resolve("next.yaml"),
            """
            apiVersion: config.coxswain.dev/v1alpha1
            kind: CoxswainConfiguration
            admin: {auth: {mode: none}}
            controllers:
              failing:
                concurrency: %d
                config: {folder: %s}
            limiters: {default: {rate: %d, burst: %d}}
            logging: {level: %s}
            """
                .formatted(concurrency, folder, rate, burst, level)
                .replace("\ndrainLimit: 7s}", "}\ndrainLimit: 7s"));
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private Launcher run(Path file) throws IOException {
    Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig());
    Path classes =
        Plugins.folder(folder, FailingController.class, List.of(FailingController.class.getName()));
    Map<String, String> environment = new HashMap<>(Distribution.freePorts());
    environment.put("COXSWAIN_CLASSPATH", classes.toString());
    return Launcher.start(
        folder,
        environment,
        "run",
        "--kubeconfig",
        kubeconfig.toString(),
        "--config",
        file.toString());
  }

  private JsonNode configuration() throws Exception {
    return JSON.readTree(get(admin + "/api/v1/config")).at("/items/0");
  }

  private JsonNode limiter() throws Exception {
    return JSON.readTree(get(admin + "/api/v1/limiters/default"));
  }

  private String get(String url) throws IOException, InterruptedException {
    return http.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString())
        .body();
  }

  private static String found(Launcher run, String expression) throws Exception {
    Pattern pattern = Pattern.compile(expression);
    Matcher[] found = new Matcher[1];
    Await.until(
        LIMIT,
        () -> {
          assertThat(run.handle().isAlive()).as(run.errors() + run.output()).isTrue();
          found[0] = pattern.matcher(run.output());
          return found[0].find();
        });
    return found[0].group(1);
  }
}
