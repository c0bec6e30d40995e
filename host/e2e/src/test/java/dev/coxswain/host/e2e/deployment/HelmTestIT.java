// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.marcnuri.helm.Helm;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.host.e2e.process.ApiCalls;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.RenderedChart;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code helm test} by Helm itself. There is no kubelet: the program of the pod that validates the configuration is run
 * here, and its result becomes the phase of the pod.
 */
@Timeout(300)
class HelmTestIT {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String POD = "/api/v1/namespaces/default/pods/coxswain-test";
  private static final String CONFIG = "/api/v1/namespaces/default/configmaps/coxswain-config";

  @TempDir private Path folder;

  @Test
  void thePodOfHelmTest_validatesTheConfiguration_andItsPhaseIsTheResult() throws Exception {
    try (EmbeddedApiServer server =
            EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
        ApiCalls api = new ApiCalls(server, "none");
        HttpClient http = HttpClient.newHttpClient()) {
      Path kubeconfig = RenderedChart.install(server, folder);
      CompletableFuture<Object> tested =
          CompletableFuture.supplyAsync(
              () ->
                  Helm.test("coxswain")
                      .withNamespace("default")
                      .withKubeConfig(kubeconfig)
                      .withTimeout((int) LIMIT.toSeconds())
                      .call(),
              task -> Thread.ofPlatform().daemon().start(task));
      JsonNode pod = await(http, server.url() + POD, tested);
      JsonNode containers = pod.at("/spec/containers");
      assertThat(pod.at("/metadata/labels").has("app.kubernetes.io/name"))
          .as("a replica for Services and the Deployment")
          .isFalse();
      assertThat(containers.at("/1/command").toString())
          .isEqualTo("[\"/app/jre/bin/java\",\"@/app/ctl.options\"]");
      assertThat(containers.at("/1/args").toString())
          .isEqualTo("[\"get\",\"replicas\",\"--certificate-authority\",\"/tls/ca.crt\"]");
      int code = run(containers.get(0), api.get(CONFIG).at("/data/config.yaml").asText());
      assertThat(code).isZero();
      api.patch(POD + "/status", "{\"status\":{\"phase\":\"Succeeded\"}}");
      assertThat(tested.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isNotNull();
    }
  }

  /** Runs the program of a container, and returns its exit code. */
  private int run(JsonNode container, String config) throws Exception {
    Path file = Files.writeString(folder.resolve("config.yaml"), config);
    List<String> arguments = new ArrayList<>();
    for (JsonNode argument : container.path("args")) {
      arguments.add(argument.asText().replace("/etc/coxswain/config.yaml", file.toString()));
    }
    try (Launcher run = Launcher.start(folder, Map.of(), arguments.toArray(String[]::new))) {
      return run.exitCode();
    }
  }

  private static JsonNode await(HttpClient http, String url, CompletableFuture<?> tested)
      throws Exception {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (System.nanoTime() - end < 0) {
      HttpResponse<String> response =
          http.send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString());
      if (response.statusCode() == 200) {
        return JSON.readTree(response.body());
      }
      assertThat(tested).as("helm test").isNotCompletedExceptionally();
      LockSupport.parkNanos(20_000_000);
    }
    throw new AssertionError("no pod within " + LIMIT);
  }
}
