// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.host.e2e.controller.LeadingController;
import dev.coxswain.host.e2e.controller.MissingKindController;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.Plugins;
import dev.coxswain.testing.TestLength;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code coxswain run} as a process: its end, and its messages about what does not run. */
class RunIT {

  private static final Duration LIMIT = Duration.ofSeconds(100);
  private static final long SEED = 18;
  private static final int SIGNALS = TestLength.of(4, 8);

  /** Longer than a start takes on an idle machine. */
  private static final int LATEST_SIGNAL_MILLIS = 1500;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final HttpClient http = HttpClient.newHttpClient();

  @TempDir private Path folder;
  private Path kubeconfig;

  @BeforeEach
  void writeKubeconfig() throws IOException {
    kubeconfig = Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig());
  }

  @AfterEach
  void close() {
    http.close();
    server.close();
  }

  /** The servers that still began to listen were stopped in the middle of that. */
  @ParameterizedTest
  @ValueSource(strings = {"metrics", "health", "admin"})
  void aPortInUse_isOneLineThatNamesPortAndKey_andNothingElseFails(String key) throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Launcher run = run(leading(), key + ".port=" + taken.getLocalPort())) {
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.errors())
          .startsWith("coxswain: port " + taken.getLocalPort() + " on 127.0.0.1 is in use: ")
          .contains(key + ".port")
          .hasLineCount(1);
      assertThatNothingFailed(run);
    }
  }

  @Test
  @Timeout(400)
  void aSignalAtAnyMomentOfTheStart_endsInOrder() throws Exception {
    Random random = new Random(SEED);
    for (int i = 0; i < SIGNALS; i++) {
      // One at once, and one in each part of the start.
      int part = LATEST_SIGNAL_MILLIS / (SIGNALS - 1);
      int millis = i == 0 ? 0 : (i - 1) * part + random.nextInt(part);
      try (Launcher run = run(leading(), "drainLimit=10s")) {
        await(run, "\n");
        LockSupport.parkNanos(Duration.ofMillis(millis).toNanos()); // the moment that is tried
        run.terminate();
        assertThat(run.exitCode())
            .as("seed %d, after %d ms: %s%s", SEED, millis, run.errors(), run.output())
            .isZero();
        assertThat(run.errors()).as("seed %d, after %d ms", SEED, millis).isEmpty();
        assertThatNothingFailed(run);
      }
    }
  }

  @Test
  void attemptsThatAreLeftBehind_endWithTheirOwnExitCode() throws Exception {
    Path classes =
        Plugins.folder(folder, StuckController.class, List.of(StuckController.class.getName()));
    try (Launcher run = run(classes, "drainLimit=200ms")) {
      await(run, StuckController.BEGUN);
      run.terminate();
      assertThat(run.exitCode()).as(run.output()).isEqualTo(3);
      assertThat(run.errors())
          .isEqualTo(
              "coxswain: 1 attempt did not end within drainLimit, nor after being cancelled; see"
                  + " the"
                  + " log\n");
      assertThat(run.output()).contains("default/one");
    }
  }

  @Test
  void aKindThatIsNotInstalled_isNamedForItsController_andTheOthersRunOn() throws Exception {
    Plugins.folder(folder, MissingKindController.class, List.of());
    Path classes =
        Plugins.folder(
            folder,
            LeadingController.class,
            List.of(MissingKindController.class.getName(), LeadingController.class.getName()));
    try (Launcher run = run(classes, "admin.auth.mode=none")) {
      Matcher health = await(run, "server=health url=(\\S+)");
      Matcher admin = await(run, "admin API listening .*port=(\\d+)");
      String api = "http://127.0.0.1:" + admin.group(1) + "/api/v1/controllers";
      JsonNode missing = null;
      JsonNode leading = null;
      String ready = "";
      long end = System.nanoTime() + LIMIT.toNanos();
      while (missing == null
          || leading == null
          || !missing.toString().contains(MissingKindController.PLURAL)
          || !ready.contains(MissingKindController.PLURAL)
          || !ready.contains("[+]controller/" + LeadingController.NAME)
          || !leading.path("state").asText().equals("running")) {
        assertThat(System.nanoTime() - end)
            .as("%s%n%s%n%s%n%s", ready, missing, leading, run.output())
            .isNegative();
        LockSupport.parkNanos(50_000_000);
        ready = get(health.group(1) + "/readyz?verbose");
        for (JsonNode item : JSON.readTree(get(api)).path("items")) {
          if (item.path("name").asText().equals(MissingKindController.NAME)) {
            missing = item;
          } else {
            leading = item;
          }
        }
      }
      run.terminate();
      assertThat(run.exitCode()).as(run.output()).isZero();
    }
  }

  private Path leading() throws IOException {
    return Plugins.folder(
        Files.createTempDirectory(folder, "plugin"),
        LeadingController.class,
        List.of(LeadingController.class.getName()));
  }

  private Launcher run(Path classes, String setting) throws IOException {
    Map<String, String> environment = new HashMap<>();
    environment.put("COXSWAIN_CLASSPATH", classes.toString());
    for (String key : List.of("ADMIN", "METRICS", "HEALTH")) {
      environment.put("COXSWAIN_" + key + "__PORT", "0");
    }
    return Launcher.start(
        folder, environment, "run", "--kubeconfig", kubeconfig.toString(), "--set", setting);
  }

  private static void assertThatNothingFailed(Launcher run) throws IOException {
    assertThat(run.output() + run.errors())
        .doesNotContain(" ERROR ", "already completed", "stacktrace", "\tat ");
  }

  private String get(String url) throws IOException, InterruptedException {
    return http.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString())
        .body();
  }

  private static Matcher await(Launcher run, String expression) throws IOException {
    Pattern pattern = Pattern.compile(expression);
    long end = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      String output = run.output();
      Matcher found = pattern.matcher(output);
      if (found.find()) {
        return found;
      }
      assertThat(run.handle().isAlive()).as(run.errors() + output).isTrue();
      assertThat(System.nanoTime() - end)
          .as("%s was not logged within %s:%n%s", expression, LIMIT, output)
          .isNegative();
      LockSupport.parkNanos(5_000_000);
    }
  }
}
