// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import dev.coxswain.host.e2e.controller.GuardingController;
import dev.coxswain.host.e2e.process.ApiCalls;
import dev.coxswain.host.e2e.process.Distribution;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.RenderedChart;
import dev.coxswain.host.internal.dev.FreePorts;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Webhooks of a host with exactly the configuration and the rights that the chart gives it. */
@Timeout(300)
class ChartWebhooksIT {

  private static final Duration LIMIT = Duration.ofSeconds(100);
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";
  private static final String CONFIGURATION =
      "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/guarding.coxswain.dev";
  private static final String GUARDED =
      "{\"metadata\": {\"name\": \"%s\", \"labels\": {\"guarded\": \"yes\"}}}";

  private static final Token ROOT = new Token("of-root", "root", List.of("system:masters"));
  private static final Token HOST =
      new Token("of-host", "system:serviceaccount:default:coxswain", List.of());

  @TempDir private Path folder;
  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void theRightsOfTheChart_areEnoughToRegisterWebhooks_andToDeleteThemWhenTheyAreGone()
      throws Exception {
    try (EmbeddedApiServer server =
        EmbeddedApiServer.startBlocking(
            EmbeddedApiServerOptions.defaults().withTokens(List.of(ROOT, HOST)))) {
      String rendered =
          RenderedChart.template()
              .set("webhooks.enabled", true)
              .set("webhooks.controllers[0]", "guarding")
              .set("sharedLimiter.enabled", false)
              .call();
      server.apply(rendered);
      try (Launcher run = run(server, rendered, "yes")) {
        await(run, () -> send(server, "GET", CONFIGURATION, "").statusCode() == 200);
        HttpResponse<String> refused = send(server, "POST", MAPS, GUARDED.formatted("a"));
        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(403);
        assertThat(refused.body()).contains("denied the request: it is guarded");
        end(run);
      }
      try (Launcher run = run(server, rendered, "no")) {
        await(run, () -> send(server, "GET", CONFIGURATION, "").statusCode() == 404);
        assertThat(send(server, "POST", MAPS, GUARDED.formatted("b")).statusCode()).isEqualTo(201);
        end(run);
      }
    }
  }

  private static void end(Launcher run) throws Exception {
    run.terminate();
    assertThat(run.exitCode()).as(run.output()).isZero();
    assertThat(run.output()).doesNotContain("orbidden", "\"level\":\"error\"");
  }

  /** The API server in memory reaches no Service, so the host registers its own address. */
  private Launcher run(EmbeddedApiServer server, String rendered, String guards) throws Exception {
    List<JsonNode> objects = RenderedChart.objects(rendered);
    String config =
        RenderedChart.one(objects, "ConfigMap", "coxswain-config").at("/data/config.yaml").asText();
    String service = "service: default/coxswain-webhooks";
    assertThat(config).contains(service);
    int port = FreePorts.find(1).getFirst();
    Path file =
        Files.writeString(
            folder.resolve("config.yaml"),
            config.replace(service, "url: https://127.0.0.1:" + port)
                + "\ncontrollers: {guarding: {config: {guards: \""
                + guards
                + "\"}}}\n");
    Path kubeconfig = ApiCalls.kubeconfig(folder.resolve("kubeconfig"), server, HOST);
    Map<String, String> environment = Distribution.freePorts();
    environment.put("COXSWAIN_WEBHOOKS__PORT", String.valueOf(port));
    environment.put("COXSWAIN_REPLICA_NAME", "coxswain-6b8d-" + guards);
    environment.put("COXSWAIN_MEMBERSHIP__HOST", "127.0.0.1");
    environment.put(
        "COXSWAIN_CLASSPATH",
        Distribution.controllers(
                Files.createDirectory(folder.resolve(guards)),
                folder.resolve(guards + ".jar"),
                GuardingController.class)
            .toString());
    return Launcher.start(
        folder,
        environment,
        "run",
        "--config",
        file.toString(),
        "--kubeconfig",
        kubeconfig.toString());
  }

  private HttpResponse<String> send(
      EmbeddedApiServer server, String method, String path, String body)
      throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(URI.create(server.url() + path))
            .header("Authorization", "Bearer " + ROOT.token())
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  private static void await(Launcher run, Condition condition) throws Exception {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.holds()) {
      assertThat(run.handle().isAlive()).as(run.errors() + run.output()).isTrue();
      assertThat(System.nanoTime() - end).as(run.output()).isNegative();
      LockSupport.parkNanos(20_000_000);
    }
  }

  private interface Condition {
    boolean holds() throws Exception;
  }
}
