// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.host.e2e.process.ApiCalls;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.internal.metrics.Meters;
import dev.coxswain.testing.Await;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * The main job: one command, and everything runs; one signal, and nothing is left. There are three sessions with one
 * data folder.
 */
@Order(1) // takes long
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class DevIT {

  /** The controllers of a session. */
  private static final List<String> EXAMPLES =
      List.of("config-mirror", "cron", "error-backoff", "fleet", "pod-simulator", "training-job");

  private static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
  private static final Duration AWAIT_LIMIT = Duration.ofMinutes(2);
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final String TRIALS = "/apis/error-backoff.coxswain.dev/v1/";
  private static final String CHANGED = TRIALS + "namespaces/default/trials/always-fails-1";

  @TempDir private static Path folder;

  /** Of the object that the first session has changed. */
  private static String uid = "";

  private final HttpClient http = HttpClient.newHttpClient();
  private String token = "none";

  @AfterEach
  void close() {
    http.close();
  }

  @Test
  @Order(1)
  void dev_runsTheExamples_showsThem_andStopsCleanly() throws Exception {
    try (Launcher dev = start()) {
      JsonNode report = JSON.readTree(dev.firstLine());
      token = report.get("adminToken").asText();
      JsonNode replica = report.get("replicas").get(0);
      String admin = replica.get("admin").asText();
      ProcessHandle child = dev.child(replica.get("pid").asLong());
      assertThat(replica.get("name").asText()).isEqualTo("coxswain-0");
      assertThat(child.parent()).contains(dev.handle());

      assertThat(names(admin)).containsExactlyInAnyOrderElementsOf(EXAMPLES);
      theTokenIsNeeded_andInNobodysView(
          dev, Path.of(report.get("kubeconfig").asText()), admin, child);
      Await.until(AWAIT_LIMIT, () -> failing(admin) >= 3);
      JsonNode items =
          get(admin + "/api/v1/controllers/error-backoff/items?failing=true").get("items");
      items.forEach(item -> {
        assertThat(item.get("phase").asText()).isIn("delayed", "waitingToken", "ready", "inFlight");
        assertThat(item.get("failures").asInt()).isPositive();
        assertThat(item.get("key").get("name").asText()).startsWith("always-fails");
      });

      assertThat(text(replica.get("health").asText() + "/readyz")).isEqualTo("ok");
      String metrics = text(replica.get("metrics").asText() + "/metrics");
      for (Meters meter : Meters.values()) {
        if (!Meters.OPTIONAL.contains(meter)) {
          assertThat(metrics).contains("# TYPE " + meter.id() + " ");
        }
      }

      String api = report.get("apiServer").asText();
      assertThat(get(api + TRIALS + "trials").get("items")).hasSizeGreaterThanOrEqualTo(5);
      assertThat(Files.readString(Path.of(report.get("kubeconfig").asText()))).contains(api);
      patch(api + CHANGED, "{\"spec\":{\"outcome\":\"Done\"}}");
      Await.until(AWAIT_LIMIT, () -> failing(admin) == 2);
      uid = get(api + CHANGED).at("/metadata/uid").asText();
      webhooksDecide(api);
      assertThat(get(api + "/coxswain/faults").get("faults")).isEmpty();

      stopAndCheck(dev, List.of(child));
      assertThat(dev.output().lines()).hasSize(1);
      assertThat(Path.of(report.get("kubeconfig").asText())).doesNotExist();
    }
  }

  /**
   * The first session ended as asked; the second is killed. The Leases of the killed one were waited for as if their
   * replicas might still live.
   */
  @Test
  @Order(2)
  void aSession_isResumedFromItsDataFolder_alsoAfterAKill_withoutWaitingForItsLeases()
      throws Exception {
    try (Launcher dev = start()) {
      String api = JSON.readTree(dev.firstLine()).get("apiServer").asText();
      assertThat(get(api + CHANGED).at("/metadata/uid").asText()).isEqualTo(uid);
      assertThat(get(api + CHANGED).at("/spec/outcome").asText()).isEqualTo("Done");
      whenItIsKilled_itsReplicasEnd(dev);
    }
    try (Launcher dev = start()) {
      JsonNode report = JSON.readTree(dev.firstLine());
      token = report.get("adminToken").asText();
      Await.until(
          AWAIT_LIMIT,
          () ->
              names(report.get("replicas").get(0).get("admin").asText()).size() == EXAMPLES.size());
      assertThat(
              get(report.get("apiServer").asText() + LEASES + "/other")
                  .at("/spec/holderIdentity")
                  .asText())
          .as("a Lease of another holder stays")
          .isEqualTo("mine");
      stopAndCheck(dev, List.of());
    }
  }

  /** Starts a session, whose data are written a second after a change, or at its end. */
  private static Launcher start() throws Exception {
    return Launcher.start(
        folder,
        Map.of(),
        "dev",
        "--json",
        "--ports=auto",
        "--data=" + folder.resolve("data"),
        "--set=membership.leaseDuration=1h"); // longer than this test waits
  }

  /** Kills the session when its replica holds its Leases, and another Lease has been written. */
  private void whenItIsKilled_itsReplicasEnd(Launcher dev) throws Exception {
    JsonNode report = JSON.readTree(dev.firstLine());
    token = report.get("adminToken").asText();
    JsonNode replica = report.get("replicas").get(0);
    ProcessHandle child = dev.child(replica.get("pid").asLong());
    Await.until(AWAIT_LIMIT, () -> names(replica.get("admin").asText()).size() == EXAMPLES.size());
    HttpResponse<String> created =
        post(
            report.get("apiServer").asText() + LEASES,
            "{\"metadata\":{\"name\":\"other\"},\"spec\":{\"holderIdentity\":\"mine\"}}");
    assertThat(created.statusCode()).isEqualTo(201);
    Await.until(
        AWAIT_LIMIT,
        () ->
            Files.readString(folder.resolve("data/objects"), StandardCharsets.ISO_8859_1)
                .contains("\"holderIdentity\":\"mine\""));
    dev.handle().destroyForcibly();
    Await.until(AWAIT_LIMIT, () -> gone(child));
  }

  private void theTokenIsNeeded_andInNobodysView(
      Launcher dev, Path kubeconfig, String admin, ProcessHandle child) throws Exception {
    HttpResponse<String> stranger =
        http.send(
            HttpRequest.newBuilder(URI.create(admin + "/api/v1/controllers")).build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(stranger.statusCode()).isEqualTo(401);
    assertThat(stranger.headers().firstValue("WWW-Authenticate"))
        .hasValue("Bearer realm=\"coxswain\"");
    Path file = kubeconfig.resolveSibling("admin-token");
    assertThat(Files.readString(file).strip()).isEqualTo(token);
    assertThat(Files.getPosixFilePermissions(file))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(dev.errors()).doesNotContain(token);
    assertThat(Files.readString(Path.of("/proc", Long.toString(child.pid()), "cmdline")))
        .contains("admin.auth.tokenFile=")
        .doesNotContain(token);
  }

  private static void stopAndCheck(Launcher dev, List<ProcessHandle> children) throws Exception {
    dev.terminate();
    assertThat(dev.exitCode()).as(dev.errors()).isZero();
    Await.until(AWAIT_LIMIT, () -> children.stream().allMatch(DevIT::gone));
    assertThat(dev.errors()).doesNotContain("\tat ", "INTERNAL", "internal error");
  }

  /** A process that has ended may be listed until its new parent has reaped it. */
  private static boolean gone(ProcessHandle process) {
    Path stat = Path.of("/proc", Long.toString(process.pid()), "stat");
    try {
      return !process.isAlive() || Files.readString(stat).matches("(?s).*\\) Z .*");
    } catch (java.io.IOException e) {
      return true;
    }
  }

  /** Returns the controllers that this replica runs itself. */
  private List<String> names(String admin) throws Exception {
    List<String> names = new ArrayList<>();
    get(admin + "/api/v1/controllers?scope=local")
        .get("items")
        .forEach(item -> {
          if (item.get("state").asText().equals("running")) {
            names.add(item.get("name").asText());
          }
        });
    return names;
  }

  private int failing(String admin) throws Exception {
    return get(admin + "/api/v1/controllers/error-backoff").get("failing").asInt();
  }

  private JsonNode get(String url) throws Exception {
    return JSON.readTree(text(url));
  }

  private String text(String url) throws Exception {
    return ApiCalls.text(http, token, url);
  }

  private void patch(String url, String body) throws Exception {
    HttpResponse<String> response =
        http.send(
            HttpRequest.newBuilder(URI.create(url))
                .method("PATCH", HttpRequest.BodyPublishers.ofString(body))
                .header("Content-Type", "application/merge-patch+json")
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
  }

  /** The webhooks of the example refuse an invalid schedule, and fill in a missing one. */
  private void webhooksDecide(String api) throws Exception {
    String tasks = api + "/apis/cron.coxswain.dev/v1/namespaces/default/crontasks";
    HttpResponse<String> refused = post(tasks, cronTask("bad", "{\"every\":\"soon\"}"));
    assertThat(refused.statusCode()).isEqualTo(422);
    assertThat(JSON.readTree(refused.body()).get("message").asText())
        .isEqualTo(
            "admission webhook \"validate.crontasks.cron.coxswain.dev\" denied the request: "
                + "spec.every is \"soon\": use a number and s, m, h or d, as in 10s");
    HttpResponse<String> completed = post(tasks, cronTask("good", "{}"));
    assertThat(completed.statusCode()).isEqualTo(201);
    assertThat(JSON.readTree(completed.body()).at("/spec/every").asText()).isEqualTo("1m");
    assertThat(completed.headers().allValues("Warning"))
        .containsExactly("299 - \"no schedule given, the task runs every 1m\"");
  }

  private static String cronTask(String name, String spec) {
    return "{\"apiVersion\":\"cron.coxswain.dev/v1\",\"kind\":\"CronTask\",\"metadata\":{\"name\":\"%s\"},\"spec\":%s}"
        .formatted(name, spec);
  }

  private HttpResponse<String> post(String url, String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    return http.send(request, HttpResponse.BodyHandlers.ofString());
  }
}
