// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import dev.coxswain.host.e2e.process.CommandProcess;
import dev.coxswain.host.e2e.process.CommandProcess.Result;
import dev.coxswain.host.e2e.process.GreetingController;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.Plugins;
import dev.coxswain.testing.Await;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The command line against a host that runs; with the launcher and kubectl as people call them, where the
 * process itself matters.
 */
@Order(1) // takes long
class CtlIT {

  private static final Duration AWAIT_LIMIT = Duration.ofMinutes(2);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String REASON = "--reason=test";

  /** Of the session; ctl finds it there, since all of them get it as folder of temporary files. */
  @TempDir private static Path folder;

  private static Launcher dev;
  private static CommandProcess commands;
  private static JsonNode report;

  @BeforeAll
  static void start() throws Exception {
    Path plugin =
        Plugins.folder(
            folder, GreetingController.class, List.of(GreetingController.class.getName()));
    dev =
        Launcher.start(
            folder,
            Map.of(),
            "dev",
            "--json",
            "--ports",
            "auto",
            "--examples",
            "--plugin",
            plugin.toString());
    report = JSON.readTree(dev.firstLine());
    dev.child(report.get("replicas").get(0).get("pid").asLong());
    commands = CommandProcess.start(folder);
    Await.until(
        AWAIT_LIMIT,
        () ->
            ctl(0, "get", "items", "error-backoff", "-A", "--failing", "-o", "name").lines().count()
                == 3);
  }

  @AfterAll
  static void stop() throws Exception {
    if (commands != null) {
      commands.close();
    }
    dev.close();
  }

  @Test
  void everythingThatCanBeShown_isShown() throws Exception {
    assertThat(ctl(0, "get", "controllers").lines().map(line -> line.split(" ", 2)[0]))
        .containsExactly(
            "NAME",
            "config-mirror",
            "cron",
            "error-backoff",
            "fleet",
            "greeting",
            "pod-simulator",
            "training-job");
    assertThat(ctl(0, "get", "controllers", "error-backoff", "-o", "yaml"))
        .startsWith("kind: Controller\nname: error-backoff\n");
    assertThat(ctl(0, "get", "items", "error-backoff", "-A", "-o", "wide"))
        .contains("NAMESPACE", "always-fails-1", "TrialFailure", "kube-public");
    assertThat(ctl(0, "explain", "item", "error-backoff", "always-fails-1"))
        .contains(
            "Item:            default/always-fails-1",
            "Failures:",
            "Last error:      TrialFailure");
    assertThat(ctl(0, "explain", "error-backoff", "default/nobody"))
        .contains("Reason:      notInCache");
    assertThat(ctl(0, "limiters", "default", "--no-headers")).startsWith("default   local   10.0");
    assertThat(ctl(0, "top")).contains("error-backoff");
    assertThat(ctl(0, "events")).contains("controller/error-backoff", "limiter/default");
    assertThat(ctl(0, "operations", "-o", "json")).contains("\"kind\": \"OperationList\"");
    assertThat(ctl(0, "replicas", "-o", "name")).isEqualTo("replica/coxswain-0\n");
    assertThat(ctl(0, "dump", "error-backoff", "--failing").lines())
        .isNotEmpty()
        .allMatch(line -> line.startsWith("{\"kind\":\"Item\",\"controller\":\"error-backoff\","));
  }

  @Test
  void withExamples_theyRunBesideThePlugin() throws Exception {
    assertThat(ctl(0, "get", "controllers", "-o", "name"))
        .contains("greeting", "error-backoff", "cron");
    URI trials =
        URI.create(report.get("apiServer").asText() + "/apis/error-backoff.coxswain.dev/v1/trials");
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request = HttpRequest.newBuilder(trials).build();
      assertThat(client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode())
          .isEqualTo(200);
    }
  }

  /** Each reads it from its own jar. */
  @Test
  void theVersion_isTheSame_ofTheLauncherTheApiAndItsMembers() throws Exception {
    String version;
    try (Launcher run = Launcher.start(folder, Map.of(), "version")) {
      assertThat(run.exitCode()).as(run.errors()).isZero();
      version = run.output().split(" ", 3)[1];
    }
    assertThat(version).matches("[0-9]+[.].+");
    assertThat(ctl(0, "replicas", "-o", "json")).contains("\"version\": \"" + version + "\"");
    HttpRequest discovery =
        HttpRequest.newBuilder(
                URI.create(report.get("replicas").get(0).get("admin").asText() + "/api/v1"))
            .header("Authorization", "Bearer " + report.get("adminToken").asText())
            .build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      String answer = client.send(discovery, HttpResponse.BodyHandlers.ofString()).body();
      assertThat(JSON.readTree(answer).path("version").asText()).as(answer).isEqualTo(version);
    }
  }

  @Test
  void kubectl_findsItAsAPlugIn_andItsKubeconfigNamesTheSession() throws Exception {
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", Launcher.SCRIPT.getParent() + ":" + System.getenv("PATH"));
    environment.put("KUBECONFIG", report.get("kubeconfig").asText());
    // Another folder of temporary files: it is the kubeconfig that leads to the session.
    environment.put("COXSWAIN_JAVA_OPTS", "");
    try (Launcher run =
        Launcher.start(Path.of("kubectl"), folder, environment, "coxswain", "get", "controllers")) {
      assertThat(run.exitCode()).as(run.errors()).isZero();
      assertThat(run.output()).contains("config-mirror   running");
    }
    try (Launcher run =
        Launcher.start(Path.of("kubectl"), folder, environment, "coxswain", "get", "controlers")) {
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.errors()).contains("did you mean \"controllers\"?");
    }
    try (Launcher run =
        Launcher.start(Path.of("kubectl"), folder, environment, "coxswain", "help")) {
      assertThat(run.exitCode()).isZero();
      assertThat(run.output()).startsWith("kubectl coxswain shows and steers");
    }
  }

  @Test
  void theProgramWithoutAHost_isAllThatIsNeeded() throws Exception {
    new SmallProgram(folder, report.get("kubeconfig").asText()).shows("config-mirror   running");
  }

  /** That of a call that failed had few classes, and made each later call slower for good. */
  @Test
  void theArchiveOfClasses_isThatOfACallThatSucceeded() throws Exception {
    Path app = folder.resolve("copy");
    Path script = Launcher.install(app);
    Path archive = app.resolve("ctl.jsa");
    Files.deleteIfExists(archive);
    Map<String, String> session = Map.of();
    for (int exitCode : new int[] {1, 0, 0}) {
      String what = exitCode == 0 ? "controllers" : "controlers";
      try (Launcher run = Launcher.start(script, folder, session, "ctl", "get", what)) {
        assertThat(run.exitCode()).as(run.output() + run.errors()).isEqualTo(exitCode);
      }
      assertThat(Files.exists(archive)).isEqualTo(exitCode == 0);
    }
    try (Stream<Path> files = Files.list(app)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .filteredOn(name -> name.startsWith("ctl.jsa"))
          .containsExactly("ctl.jsa");
    }
  }

  @Test
  void singleItems_areChanged() throws Exception {
    assertThat(ctl(0, "requeue", "error-backoff", "always-fails-1", "--delay=10h", REASON))
        .isEqualTo("item/default/always-fails-1 requeued\n");
    assertThat(ctl(0, "get", "items", "error-backoff", "always-fails-1", "--no-headers"))
        .contains(" in 9h ");
    assertThat(ctl(0, "forget", "error-backoff", "default/always-fails-1", REASON))
        .contains("forgotten");
    assertThat(ctl(0, "retry", "error-backoff", "default/always-fails-1", REASON))
        .contains("retried");
    Await.until(
        AWAIT_LIMIT,
        () ->
            JSON.readTree(ctl(0, "get", "items", "error-backoff", "always-fails-1", "-o", "json"))
                    .get("failures")
                    .asInt()
                > 0);
    assertThat(ctl(0, "enqueue", "error-backoff", "default/added", "--delay", "10h", REASON))
        .contains("enqueued");
    assertThat(ctl(0, "drop", "error-backoff", "default/added", REASON, "--yes"))
        .isEqualTo("item/default/added dropped\n");
    assertThat(ctl(0, "get", "audit", "--action", "drop", "-o", "json")).contains("default/added");
  }

  @Test
  void aPause_holdsUntilItEnds() throws Exception {
    assertThat(ctl(0, "pause", "cron", "--for=1h", REASON))
        .startsWith("controller/cron paused until ");
    assertThat(ctl(0, "get", "controllers", "cron", "--no-headers")).contains("running,paused");
    assertThat(ctl(0, "resume", "cron", REASON)).isEqualTo("controller/cron resumed\n");
  }

  @Test
  void manyItems_areCountedConfirmedAndChanged() throws Exception {
    for (int i = 0; i < 12; i++) {
      ctl(0, "enqueue", "config-mirror", "many/item-" + i, "--delay=10h", REASON);
    }
    assertThat(ctl(0, "flush", "config-mirror", "-n", "many", "--all", "--dry-run"))
        .contains("12 items of controller config-mirror", "many 12");
    try (Launcher run = run(Map.of(), "flush", "config-mirror", "-n", "many", "--all", REASON)) {
      assertThat(run.exitCode()).as("no terminal").isEqualTo(3);
      assertThat(run.errors()).contains("nothing was changed");
    }
    Map<String, String> terminal =
        Map.of("COXSWAIN_JAVA_OPTS", "-Dcoxswain.interactive=true -Djava.io.tmpdir=" + folder);
    String[] order = {"flush", "config-mirror", "-n", "many", "--all", "--then=none", REASON};
    try (Launcher run = run(terminal, order)) {
      run.type("no");
      assertThat(run.exitCode()).isEqualTo(3);
      assertThat(run.errors())
          .contains("Flush 12 items of controller config-mirror at ", "Type yes: ");
    }
    assertThat(ctl(0, "get", "items", "config-mirror", "-n", "many", "-o", "name").lines())
        .hasSize(12);
    try (Launcher run = run(terminal, order)) {
      run.type("yes");
      assertThat(run.exitCode()).as(run.errors()).isZero();
      assertThat(run.output()).contains("Succeeded: 12 of 12 items flushed");
    }
    assertThat(ctl(0, "get", "items", "config-mirror", "-n", "many", "-o", "name")).isEmpty();
  }

  @Test
  void theExitCode_tellsErrorsFromParts() throws Exception {
    ctl(1, "get", "items", "nothing");
    ctl(1, "get", "items", "error-backoff", "default/nobody");
    ctl(1, "retry", "error-backoff", "default/always-fails-2");
    ctl(2, "forget", "error-backoff", "default/always-fails-2", "default/nobody", REASON);
    ctl(3, "drop", "error-backoff", "default/always-fails-2", REASON);
    ctl(1, "get", "controllers", "--server", "http://127.0.0.1:1");
    for (String name : List.of("cron", "nobody")) {
      try (Launcher run = run(Map.of(), "get", "controllers", name)) {
        assertThat(run.exitCode())
            .as("%s%s", run.output(), run.errors())
            .isEqualTo(name.equals("cron") ? 0 : 1);
      }
    }
    try (Launcher run = run(Map.of("COXSWAIN_TOKEN", "wrong"), "get", "controllers")) {
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.errors()).startsWith("Error from server (").doesNotContain("wrong");
    }
  }

  /** Without the file of the session beside it, a kubeconfig means a cluster. */
  @Test
  void aCluster_isReachedThroughKubectl_whichCannotForwardIntoTheOneInMemory() throws Exception {
    Path other = Files.createDirectories(folder.resolve("elsewhere")).resolve("kubeconfig");
    Files.copy(Path.of(report.get("kubeconfig").asText()), other);
    String[] order = {
      "get", "controllers", "--kubeconfig", other.toString(), "--service-account=x"
    };
    try (Launcher run = run(Map.of(), order)) {
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.errors())
          .contains(
              "no ready pod with the labels app.kubernetes.io/name=coxswain in namespace default");
    }
    Path pod =
        Files.writeString(
            folder.resolve("pod.yaml"),
            """
            apiVersion: v1
            kind: Pod
            metadata: {name: coxswain-x, labels: {app.kubernetes.io/name: coxswain}}
            spec: {containers: [{name: host, image: x}]}
            """);
    Map<String, String> kubeconfig = Map.of("KUBECONFIG", other.toString());
    for (String[] arguments :
        new String[][] {
          {"apply", "-n", "default", "-f", pod.toString()},
          {
            "patch",
            "pod",
            "coxswain-x",
            "-n",
            "default",
            "--subresource=status",
            "--type=merge",
            "-p",
            "{\"status\":{\"phase\":\"Running\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}"
          },
        }) {
      try (Launcher run = Launcher.start(Path.of("kubectl"), folder, kubeconfig, arguments)) {
        assertThat(run.exitCode()).as(run.errors()).isZero();
      }
    }
    try (Launcher run = run(Map.of(), order)) {
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.errors())
          .contains("kubectl port-forward failed", "coxswain dev cannot forward ports");
    }
  }

  /** 64 MiB of items through a heap of 16 MiB. */
  @Test
  void aDumpOfAnySize_passesThrough() throws Exception {
    int pages = 128;
    String item = "{\"lastError\":\"" + "x".repeat(1000) + "\"}";
    String items = String.join(",", Collections.nCopies(500, item));
    AtomicInteger served = new AtomicInteger();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/api/v1/controllers/big/items",
        exchange -> {
          int page = served.incrementAndGet();
          String more = page < pages ? ",\"continue\":\"" + page + "\"" : "";
          byte[] body =
              ("{\"items\":[" + items + "]" + more + "}").getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
          }
        });
    server.start();
    try (Launcher run =
        run(
            Map.of(
                "COXSWAIN_SERVER", "http://127.0.0.1:" + server.getAddress().getPort(),
                "COXSWAIN_TOKEN", "any",
                "COXSWAIN_JAVA_OPTS", "-Xms8m -Xmx16m"),
            "dump",
            "big")) {
      assertThat(run.exitCode()).as(run.errors()).isZero();
      assertThat(run.outputSize()).isGreaterThan(pages * 500L * 1000);
    } finally {
      server.stop(0);
    }
  }

  private static Launcher run(Map<String, String> environment, String... arguments)
      throws Exception {
    return Launcher.start(folder, environment, all(arguments));
  }

  private static String[] all(String... arguments) {
    return Stream.concat(Stream.of("ctl"), Stream.of(arguments)).toArray(String[]::new);
  }

  /** Runs a command that must end so, and returns what it printed. */
  private static String ctl(int exitCode, String... arguments) throws Exception {
    Result run = commands.run(all(arguments));
    assertThat(run.exitCode())
        .as(String.join(" ", arguments) + "\n" + run.output() + run.errors())
        .isEqualTo(exitCode);
    return run.output();
  }
}
