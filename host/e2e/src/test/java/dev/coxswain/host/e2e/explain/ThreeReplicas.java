// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.explain;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.host.e2e.process.ApiCalls;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.Plugins;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.testing.PluginJars;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Three real replicas with {@link WhyController} and {@link RepairableController}, whose limiter has few tokens, and how
 * a test asks them.
 */
abstract class ThreeReplicas {
  static final int REPLICAS = 3;
  static final Duration LIMIT = Duration.ofMinutes(3);
  static final ObjectMapper JSON = new ObjectMapper();

  final Path folder;
  final Launcher dev;
  final JsonNode report;
  final Kubernetes kubernetes;
  final HttpClient http;

  ThreeReplicas(Stage stage) {
    this.folder = stage.folder();
    this.dev = stage.dev();
    this.report = stage.report();
    this.kubernetes = stage.kubernetes();
    this.http = stage.http();
  }

  /** What all tests have together, in a folder that is that of the session as well. */
  record Stage(Path folder, Launcher dev, JsonNode report, Kubernetes kubernetes, HttpClient http)
      implements AutoCloseable {

    static Stage start(Path folder) throws Exception {
      Path classes =
          Plugins.folder(
              folder,
              WhyController.class,
              List.of(
                  WhyController.Main.class.getName(),
                  WhyController.Tokens.class.getName(),
                  WhyController.Stuck.class.getName(),
                  WhyController.Absent.class.getName(),
                  RepairableController.class.getName()));
      Plugins.add(classes, RepairableController.class);
      Path plugins = Files.createDirectories(folder.resolve("plugins"));
      PluginJars jars = new PluginJars(folder);
      jars.write(
          plugins.resolve("tidy.jar"),
          jars.plugin(List.of("Tidy"), PluginJars.definition("Tidy", "tidy")));
      Launcher dev =
          Launcher.start(
              folder,
              Map.of("COXSWAIN_CLASSPATH", classes.toString()),
              "dev",
              "--json",
              "--ports=auto",
              "--replicas=" + REPLICAS,
              "--set=logging.level=error",
              "--set=plugins.directory=" + plugins,
              "--set=plugins.scanInterval=200ms",
              "--set=controllers.why-absent.syncTimeout=0s",
              "--set=controllers.repairable.config.repaired=" + folder.resolve(RetryMany.REPAIRED),
              "--set=limiters.default={rate: 0.5, burst: 5}");
      try {
        JsonNode report = JSON.readTree(dev.firstLine());
        for (JsonNode replica : report.get("replicas")) {
          dev.child(replica.get("pid").asLong());
        }
        Path kubeconfig = Path.of(report.get("kubeconfig").asText());
        return new Stage(
            folder,
            dev,
            report,
            Kubernetes.fromKubeconfig(kubeconfig, KubernetesOptions.DEFAULT),
            HttpClient.newHttpClient());
      } catch (Exception | AssertionError e) {
        dev.close();
        throw e;
      }
    }

    @Override
    public void close() {
      http.close();
      kubernetes.close();
      dev.close();
    }
  }

  HttpResponse<String> explainElsewhere(String replica, String name) throws IOException {
    return send(adminOfOther(replica), "GET", path(WhyController.MAIN, name) + "/explain", "");
  }

  long pid(String replica) {
    return replica(name -> name.equals(replica)).get("pid").asLong();
  }

  String adminOfOther(String replica) {
    return replica(name -> !name.equals(replica)).get("admin").asText();
  }

  JsonNode replica(Predicate<String> name) {
    for (JsonNode replica : report.get("replicas")) {
      if (name.test(replica.get("name").asText())) {
        return replica;
      }
    }
    throw new AssertionError(report.toString());
  }

  String reason(String controller, String name) throws IOException {
    return explain(controller, controller, name).path("reason").asText();
  }

  JsonNode explain(String controller, String name) throws IOException {
    return explain(controller, controller, name);
  }

  JsonNode explain(String controller, String namespace, String name) throws IOException {
    HttpResponse<String> response = send("GET", path(controller, namespace, name) + "/explain", "");
    return JSON.readTree(response.body());
  }

  static String path(String controller, String name) {
    return path(controller, controller, name);
  }

  static String path(String controller, String namespace, String name) {
    return "/api/v1/controllers/"
        + controller
        + "/items/"
        + Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString((namespace + "/" + name).getBytes(StandardCharsets.UTF_8));
  }

  void fault(String json) throws IOException {
    call(report.get("apiServer").asText(), "POST", "/coxswain/faults", json);
  }

  void call(String method, String path, String body) throws IOException {
    call(report.get("replicas").get(0).get("admin").asText(), method, path, body);
  }

  void call(String base, String method, String path, String body) throws IOException {
    HttpResponse<String> response = send(base, method, path, body);
    assertThat(response.statusCode()).as(response.body()).isBetween(200, 299);
  }

  HttpResponse<String> send(String method, String path, String body) throws IOException {
    return send(report.get("replicas").get(0).get("admin").asText(), method, path, body);
  }

  HttpResponse<String> send(String base, String method, String path, String body)
      throws IOException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(Duration.ofSeconds(30))
            .header("Content-Type", "application/json")
            .method(method, BodyPublishers.ofString(body));
    if (report.has("adminToken")) {
      request.header("Authorization", "Bearer " + report.get("adminToken").asText());
    }
    try {
      return method.equals("GET")
          ? http.send(request.build(), BodyHandlers.ofString())
          : ApiCalls.change(http, request);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException();
    }
  }

  void ctl(String... arguments) throws Exception {
    String[] all = new String[arguments.length + 1];
    all[0] = "ctl";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    try (Launcher run = Launcher.start(folder, Map.of(), all)) {
      assertThat(run.exitCode(LIMIT)).as(run.output() + run.errors()).isZero();
    }
  }

  static void signal(String signal, long pid) throws IOException {
    Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start();
    assertThat(kill.onExit().join().exitValue()).isZero();
  }

  void await(Launcher.Condition condition) throws IOException {
    await("the next answer", condition);
  }

  void await(String what, Launcher.Condition condition) throws IOException {
    dev.await(what, LIMIT, condition);
  }
}
