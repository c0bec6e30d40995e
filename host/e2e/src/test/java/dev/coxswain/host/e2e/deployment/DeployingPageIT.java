// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.host.e2e.controller.LeadingController;
import dev.coxswain.host.e2e.process.GuidePage;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.Plugins;
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
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/**
 * Follows docs/guides/deploying.md as it is written, and has a replica that its probe finds ready.
 */
class DeployingPageIT {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LIMIT = Duration.ofSeconds(100);

  /** An address of this machine that a listener on 127.0.0.1 alone does not have. */
  private static final String FROM_OUTSIDE = "127.0.0.2";

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final HttpClient http = HttpClient.newHttpClient();

  @TempDir private Path folder;

  @AfterEach
  void close() {
    http.close();
    server.close();
  }

  @Test
  void everyBlock_isCreatedInItsOrder_andAReplicaOfTheDeployment_isReadyForItsProbe()
      throws Exception {
    GuidePage page = GuidePage.read("deploying.md");
    List<JsonNode> objects = new ArrayList<>();
    for (String block : page.blocks("yaml")) {
      for (Object object : new Yaml().loadAll(block)) {
        objects.add(JSON.valueToTree(object));
      }
    }
    for (JsonNode object : objects) {
      HttpResponse<String> answer = create(object);
      assertThat(answer.statusCode()).as("%s: %s", object, answer.body()).isEqualTo(201);
    }
    Path copy = copied(page);

    JsonNode pod = one(objects, "Deployment").at("/spec/template/spec");
    JsonNode container = pod.at("/containers/0");
    Path config = folder.resolve("config.yaml");
    Files.writeString(config, config(objects, pod));
    List<Integer> free = FreePorts.find(2);
    int health = free.getFirst();
    List<String> arguments = new ArrayList<>();
    container
        .path("args")
        .forEach(one -> arguments.add(one.asText().replace(mounted(container), config.toString())));
    // One machine has one port of each number, and not the names of a cluster.
    for (String setting :
        List.of(
            "admin.port=0",
            "metrics.port=0",
            "health.port=" + health,
            "sharedLimiter.service=localhost",
            "sharedLimiter.port=" + free.getLast())) {
      arguments.addAll(List.of("--set", setting));
    }
    arguments.addAll(
        List.of(
            "--kubeconfig",
            Files.writeString(folder.resolve("kube"), server.kubeconfig()).toString()));
    Map<String, String> environment = new HashMap<>();
    container
        .path("env")
        .forEach(one ->
            environment.put(
                one.path("name").asText(),
                one.at("/valueFrom/fieldRef/fieldPath").asText().equals("status.podIP")
                    ? "127.0.0.1"
                    : "coxswain-6b8d-x2x4"));
    environment.put(
        "COXSWAIN_CLASSPATH",
        Plugins.folder(folder, LeadingController.class, List.of(LeadingController.class.getName()))
            .toString());
    try (Launcher run =
        Launcher.start(
            copy.resolve("bin/coxswain"), folder, environment, arguments.toArray(String[]::new))) {
      for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
        JsonNode get = container.path(probe).path("httpGet");
        assertThat(get.path("port").asInt()).isEqualTo(8081); // the default, which "free" replaces
        await(run, URI.create("http://" + FROM_OUTSIDE + ":" + health + get.path("path").asText()));
      }
      run.terminate();
      assertThat(run.exitCode()).as(run.output()).isZero();
    }
  }

  /** Does the COPY lines of the image; what they name is there after a build. */
  private Path copied(GuidePage page) throws IOException {
    Path root = folder.resolve("image");
    Matcher line =
        Pattern.compile("^COPY (host/\\S+) (\\S+)$", Pattern.MULTILINE)
            .matcher(page.blocks("dockerfile").getLast());
    while (line.find()) {
      Path from = Path.of("..", "..", line.group(1)).toAbsolutePath().normalize();
      Path to = root.resolve(line.group(2).substring(1));
      List<Path> files;
      try (Stream<Path> all = Files.walk(from)) {
        files =
            all.filter(Files::isRegularFile)
                // Made at the first call of another class of tests, perhaps now.
                .filter(file -> !file.getFileName().toString().startsWith("ctl.jsa"))
                .toList();
      }
      for (Path file : files) {
        Path target = to.resolve(from.relativize(file).toString());
        Files.createDirectories(target.getParent());
        Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
    return root.resolve("opt/coxswain");
  }

  private HttpResponse<String> create(JsonNode object) throws IOException, InterruptedException {
    String version = object.path("apiVersion").asText();
    String kind = object.path("kind").asText().toLowerCase(Locale.ROOT);
    String plural = kind.endsWith("y") ? kind.substring(0, kind.length() - 1) + "ies" : kind + "s";
    String namespace = object.at("/metadata/namespace").asText();
    String path =
        (version.contains("/") ? "/apis/" : "/api/")
            + version
            + (namespace.isEmpty() ? "" : "/namespaces/" + namespace)
            + "/"
            + plural;
    return http.send(
        HttpRequest.newBuilder(URI.create(server.url() + path))
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(object.toString()))
            .build(),
        BodyHandlers.ofString());
  }

  private void await(Launcher run, URI probe) throws IOException, InterruptedException {
    long end = System.nanoTime() + LIMIT.toNanos();
    String seen = "";
    while (System.nanoTime() - end < 0) {
      assertThat(run.handle().isAlive()).as(run.errors() + run.output()).isTrue();
      try {
        HttpResponse<String> answer =
            http.send(HttpRequest.newBuilder(probe).build(), BodyHandlers.ofString());
        seen = answer.body();
        if (answer.statusCode() == 200) {
          return;
        }
      } catch (IOException e) {
        seen = e.toString(); // it does not listen yet
      }
      LockSupport.parkNanos(20_000_000);
    }
    throw new AssertionError(probe + " did not pass within " + LIMIT + ": " + seen + run.output());
  }

  private static String config(List<JsonNode> objects, JsonNode pod) {
    String name = pod.at("/volumes/0/configMap/name").asText();
    return objects.stream()
        .filter(one -> one.path("kind").asText().equals("ConfigMap"))
        .filter(one -> one.at("/metadata/name").asText().equals(name))
        .findFirst()
        .orElseThrow()
        .at("/data/config.yaml")
        .asText();
  }

  private static String mounted(JsonNode container) {
    return container.at("/volumeMounts/0/mountPath").asText() + "/config.yaml";
  }

  private static JsonNode one(List<JsonNode> objects, String kind) {
    return objects.stream()
        .filter(object -> object.path("kind").asText().equals(kind))
        .findFirst()
        .orElseThrow();
  }
}
