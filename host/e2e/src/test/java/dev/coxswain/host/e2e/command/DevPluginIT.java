// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.host.e2e.controller.LeadingController;
import dev.coxswain.host.e2e.process.GreetingController;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.Plugins;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What runs in a session of an author. It had the examples as well: their controllers and objects were
 * between those that the author looked for.
 */
class DevPluginIT {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String TRIALS = "/apis/error-backoff.coxswain.dev/v1/trials";

  @TempDir private Path folder;

  /** Those of COXSWAIN_CLASSPATH were named by a user, and not by the session. */
  @Test
  void withAPlugin_onlyTheControllersOfTheAuthorRun_onTheClassPathOfProduction() throws Exception {
    Path other = Files.createDirectory(folder.resolve("other"));
    Path classes =
        Plugins.folder(other, LeadingController.class, List.of(LeadingController.class.getName()));
    try (Launcher dev = start(Map.of("COXSWAIN_CLASSPATH", classes.toString()))) {
      JsonNode report = JSON.readTree(dev.firstLine());
      assertThat(controllers(report)).hasSize(2).contains("greeting");
      assertThat(status(report.get("apiServer").asText() + TRIALS)).isEqualTo(404);
      assertThat(dev.errors()).doesNotContain("installed the types");
      long pid = report.get("replicas").get(0).get("pid").asLong();
      assertThat(Files.readString(Path.of("/proc", Long.toString(pid), "cmdline")))
          .contains("coxswain-host-launcher.jar")
          .doesNotContain("coxswain/dev/", "coxswain-examples", "cron-utils");
      stop(dev);
    }
  }

  private Launcher start(Map<String, String> environment, String... more) throws Exception {
    Path classes =
        Plugins.folder(
            folder, GreetingController.class, List.of(GreetingController.class.getName()));
    List<String> command = new ArrayList<>(List.of("dev", "--json", "--ports", "auto"));
    command.addAll(List.of("--plugin", classes.toString()));
    command.addAll(List.of(more));
    return Launcher.start(folder, environment, command.toArray(String[]::new));
  }

  private static void stop(Launcher dev) throws Exception {
    dev.terminate();
    assertThat(dev.exitCode()).as(dev.errors()).isZero();
  }

  private static List<String> controllers(JsonNode report) throws Exception {
    String admin = report.get("replicas").get(0).get("admin").asText();
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(admin + "/api/v1/controllers"))
              .header("Authorization", "Bearer " + report.get("adminToken").asText())
              .build();
      List<String> names = new ArrayList<>();
      JSON.readTree(http.send(request, BodyHandlers.ofString()).body())
          .get("items")
          .forEach(item -> names.add(item.get("name").asText()));
      return names;
    }
  }

  private static int status(String url) throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.discarding())
          .statusCode();
    }
  }
}
