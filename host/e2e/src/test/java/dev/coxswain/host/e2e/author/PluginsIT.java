// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.author;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.PersonalMaven;
import dev.coxswain.testing.Await;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The template of a plug-in as its README has it, outside of this source tree and without network: it
 * is built, runs in a process, is replaced, stopped and removed, and that process goes on.
 */
@Order(2) // the next longest
class PluginsIT {

  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path TEMPLATE = Path.of("..", "..", "examples", "plugin");

  @TempDir private Path folder;
  private final HttpClient http = HttpClient.newHttpClient();
  private String token = "none";

  @AfterEach
  void close() {
    http.close();
  }

  @Test
  void theTemplate_isBuiltAndRuns_isReplaced_stopped_andRemoved() throws Exception {
    Path project = copyOfTheTemplate();
    build(project);
    Path target = project.resolve("target");
    assertThat(target.resolve("greeter.jar")).exists();
    try (Launcher dev =
        Launcher.start(
            folder,
            Map.of(),
            "dev",
            "--json",
            "--ports",
            "auto",
            "--set",
            "plugins.directory=" + target,
            "--set",
            "plugins.scanInterval=200ms")) {
      JsonNode report = JSON.readTree(dev.firstLine());
      token = report.get("adminToken").asText();
      JsonNode replica = report.get("replicas").get(0);
      ProcessHandle child = dev.child(replica.get("pid").asLong());
      String admin = replica.get("admin").asText() + "/api/v1";
      String maps = report.get("apiServer").asText() + "/api/v1/namespaces/default/configmaps";
      send(
          "POST",
          maps,
          "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"world\","
              + "\"labels\":{\"greet\":\"yes\"}}}");
      Await.until(LIMIT, () -> greeting(maps).equals("Hello world"));
      JsonNode plugin = get(admin + "/plugins/greeter");
      assertThat(plugin.path("phase").asText()).isEqualTo("running");
      assertThat(plugin.at("/controllers/0").asText()).isEqualTo("greeter");
      assertThat(get(admin + "/plugins").path("items")).hasSize(1);

      Path source = project.resolve("src/main/java/hello/Greeter.java");
      Files.writeString(source, Files.readString(source).replace("\"Hello \"", "\"Bye \""));
      Path test = project.resolve("src/test/java/hello/GreeterTest.java");
      Files.writeString(test, Files.readString(test).replace("Hello world", "Bye world"));
      build(project);
      Await.until(LIMIT, () -> greeting(maps).equals("Bye world"));
      Await.until(LIMIT, () -> get(admin + "/plugins/greeter").path("deployments").asInt() == 2);

      act(admin, "stop");
      Await.until(
          LIMIT, () -> get(admin + "/plugins/greeter").path("phase").asText().equals("stopped"));
      assertThat(names(admin)).doesNotContain("greeter").contains("error-backoff");
      act(admin, "deploy");
      Await.until(LIMIT, () -> names(admin).contains("greeter"));

      Files.delete(target.resolve("greeter.jar"));
      Await.until(LIMIT, () -> get(admin + "/plugins").path("items").isEmpty());
      assertThat(names(admin)).doesNotContain("greeter").contains("error-backoff");
      assertThat(child.isAlive()).as("the process of the replica").isTrue();
      dev.handle().destroy();
      assertThat(dev.exitCode()).isIn(0, 143);
    }
  }

  /** Begins an action as soon as the one before has ended. */
  private void act(String admin, String action) throws Exception {
    Await.until(
        LIMIT,
        () -> {
          HttpRequest request =
              request(admin + "/plugins/greeter/" + action)
                  .header("Content-Type", "application/json")
                  .POST(BodyPublishers.ofString("{\"reason\":\"test\"}"))
                  .build();
          HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
          assertThat(answer.statusCode()).as(answer.body()).isIn(200, 409);
          return answer.statusCode() == 200;
        });
  }

  /** The template as {@code coxswain new} writes it. */
  private Path copyOfTheTemplate() throws Exception {
    try (Launcher run = Launcher.start(folder, Map.of(), "new", "greeter", "--package", "hello")) {
      assertThat(run.exitCode()).as(run.errors()).isZero();
      assertThat(run.output()).contains("coxswain dev --plugin target/classes");
    }
    Path project = folder.resolve("greeter");
    // Names that are those of the template change nothing.
    for (String file : List.of("pom.xml", "src/main/java/hello/Greeter.java")) {
      assertThat(project.resolve(file)).hasSameTextualContentAs(TEMPLATE.resolve(file));
    }
    return project;
  }

  /** Builds as the README has it, without network. */
  private void build(Path project) throws Exception {
    Path maven = PersonalMaven.install(folder, folder.resolve("bin"));
    List<String> command = List.of(maven.toString(), "-q", "package");
    Path output = folder.resolve("build.txt");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(project.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("MAVEN_OPTS", PersonalMaven.OPTIONS);
    Process process = builder.start();
    assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).as(Files.readString(output)).isZero();
  }

  private String greeting(String maps) throws Exception {
    return get(maps + "/world").at("/data/hello").asText();
  }

  private List<String> names(String admin) throws Exception {
    List<String> names = new ArrayList<>();
    get(admin + "/controllers")
        .path("items")
        .forEach(controller -> names.add(controller.path("name").asText()));
    return names;
  }

  private JsonNode get(String url) throws Exception {
    return JSON.readTree(
        http.send(request(url).build(), HttpResponse.BodyHandlers.ofString()).body());
  }

  private JsonNode send(String method, String url, String body) throws Exception {
    HttpResponse<String> answer =
        http.send(
            request(url)
                .header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofString(body))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isIn(200, 201);
    return JSON.readTree(answer.body());
  }

  private HttpRequest.Builder request(String url) {
    return HttpRequest.newBuilder(URI.create(url)).header("Authorization", "Bearer " + token);
  }
}
