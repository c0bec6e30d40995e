// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.host.e2e.process.ApiCalls;
import dev.coxswain.host.e2e.process.Launcher;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code coxswain drill} with its tasks done by HTTP, as its guide shows it. */
class DrillIT {

  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final String WEBSITES = "/api/v1/controllers/websites";
  private static final String OVERRIDE = "/api/v1/limiters/default/override";
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder;

  @Test
  void aReaderWhoDoesAllTasks_repairsTheHerd_andTheDrillEndsWell() throws Exception {
    try (Launcher drill =
        Launcher.start(
            folder,
            Map.of(),
            "drill",
            "--json",
            "--seed",
            "1",
            "--ports",
            "auto",
            "--objects",
            "100")) {
      JsonNode ready = JSON.readTree(drill.firstLine());
      assertThat(ready.path("event").asText()).isEqualTo("ready");
      String token = ready.path("adminToken").asText();
      try (ApiCalls admin = new ApiCalls(ready.path("admin").get(0).asText(), token);
          ApiCalls api = new ApiCalls(ready.path("apiServer").asText(), token)) {
        // Before the begin: all objects of a rare cause may be on the replica that dies.
        JsonNode causes = admin.get("/api/v1/causes");
        assertThat(causes.path("total").asInt()).isEqualTo(7);
        JsonNode top = causes.path("items").get(0);
        assertThat(top.path("controller").asText()).isEqualTo("websites");
        String cause = top.path("id").asText();
        drill.type("");
        drill.await("the begin", LIMIT, () -> drill.output().contains("\"begun\""));
        drill.type("coxswain-0");
        drill.await("the remark", LIMIT, () -> drill.output().contains("coxswain-0 is alive."));
        drill.type("coxswain-2");
        done(drill, "replica");
        admin.post(
            WEBSITES + "/pause",
            "{\"cause\": \"%s\", \"duration\": \"10m\", \"reason\": \"drill\"}".formatted(cause));
        done(drill, "pause");
        admin.put(OVERRIDE, "{\"rate\": 5, \"ttl\": \"10m\", \"reason\": \"drill\"}");
        done(drill, "limit");
        api.patch(
            "/api/v1/namespaces/default/configmaps/quota", "{\"data\":{\"volumes\":\"10000\"}}");
        done(drill, "repair");
        String retry =
            "{\"action\": \"retry\", \"selector\": {\"cause\": \"%s\"}, \"reason\": \"drill\"%s}";
        JsonNode preview =
            admin.post(WEBSITES + "/operations", retry.formatted(cause, ", \"dryRun\": true"));
        admin.post(
            WEBSITES + "/operations",
            retry.formatted(
                cause, ", \"confirmToken\": \"" + preview.path("confirmToken").asText() + "\""));
        done(drill, "retry");
        admin.post(
            WEBSITES + "/resume", "{\"cause\": \"%s\", \"reason\": \"drill\"}".formatted(cause));
        admin.delete(OVERRIDE, "{\"reason\": \"drill\"}");
        done(drill, "resume");
      }
      assertThat(drill.exitCode()).as(drill.output()).isZero();
      List<String> lines = drill.output().lines().toList();
      assertThat(JSON.readTree(lines.getLast()).path("event").asText()).isEqualTo("healed");
      assertThat(drill.errors()).doesNotContain("Exception");
    }
    assertThat(folder).as("what the drill leaves").isDirectoryNotContaining("glob:**coxswain-*");
  }

  private static void done(Launcher drill, String task) throws Exception {
    drill.await(
        "task " + task,
        LIMIT,
        () ->
            drill.output().contains("\"event\":\"done\"")
                && drill.output().contains("\"task\":\"" + task + "\""));
  }
}
