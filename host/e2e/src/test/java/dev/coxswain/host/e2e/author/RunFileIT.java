// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.author;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import dev.coxswain.host.e2e.process.Launcher;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code coxswain run FILE.java}: the smallest operator, against an API server that others run. */
class RunFileIT {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LIMIT = Duration.ofSeconds(100);
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";
  private static final Token ROOT = new Token("root-token", "root", List.of("system:masters"));
  private static final Token ANNA = new Token("anna-token", "anna", List.of());
  private static final Pattern EXPORTED =
      Pattern.compile("export COXSWAIN_SERVER=(\\S+) COXSWAIN_TOKEN=(\\S+)");

  private static final String SHELL = "#!/usr/bin/env -S coxswain run\n";

  @TempDir private Path folder;

  @Test
  void aFile_isAnOperator_onTheClassPathOfProduction_andLeavesNothing() throws Exception {
    try (EmbeddedApiServer server = server(ROOT);
        HttpClient http = HttpClient.newHttpClient()) {
      Path file = executable("Greeter.java");
      server.apply(
          "{apiVersion: v1, kind: ConfigMap, metadata: {name: world, namespace: default, labels:"
              + " {greet: 'yes'}}}");
      // As a shell starts it: the file is the command. Its interpreter is found by PATH.
      Map<String, String> environment =
          Map.of(
              "KUBECONFIG",
              kubeconfig(server).toString(),
              "PATH",
              Launcher.SCRIPT.getParent() + ":" + System.getenv("PATH"));
      try (Launcher run = Launcher.start(file, folder, environment)) {
        run.await("greeting", LIMIT, () -> map(http, server, "world").contains("Hello world"));
        Matcher exported = started(run);
        HttpRequest list =
            HttpRequest.newBuilder(URI.create(exported.group(1) + "/api/v1/controllers"))
                .header("Authorization", "Bearer " + exported.group(2))
                .build();
        List<String> names = new ArrayList<>();
        JSON.readTree(http.send(list, BodyHandlers.ofString()).body())
            .path("items")
            .forEach(item -> names.add(item.path("name").asText()));
        assertThat(names).containsExactly("greeter");
        String command =
            Files.readString(Path.of("/proc", Long.toString(run.handle().pid()), "cmdline"));
        String classPath = List.of(command.split("\0", -1)).get(index(command, "-cp") + 1);
        assertThat(classPath)
            .contains("coxswain-host-launcher.jar")
            .doesNotContain("coxswain/dev/", "coxswain-examples", "embedded-apiserver");
        // Not those of a host in the cluster: this process shall not get slots of it.
        assertThat(map(http, server, "coxswain-greeter-slots")).contains("ConfigMap");
        assertThat(map(http, server, "coxswain-slots")).contains("NotFound");
        run.terminate();
        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.output() + run.errors()).doesNotContain(" ERROR ", " WARN ", "\tat ");
      }
      assertThat(sessions()).isEmpty();
    }
  }

  @Test
  void whatIsWrongWithTheFile_isSaidWithItsLine_andEndsIt() throws Exception {
    try (EmbeddedApiServer server = server(ROOT)) {
      assertThat(
              failure(
                  server, "Bad.java", greeter().replace("Greeter", "Bad").replace("map.", "m.")))
          .startsWith("coxswain: Bad.java:7: cannot find symbol\n")
          .doesNotContain("\tat ");
      assertThat(failure(server, "None.java", "class None {}"))
          .startsWith("coxswain: None.java has no controller: a public class that extends Simple")
          .hasLineCount(1);
      assertThat(
              failure(
                  server,
                  "Throws.java",
                  greeter()
                      .replace("Greeter", "Throws")
                      .replace("\"greet=yes\"", "System.getenv(\"NONE\").trim()")))
          .startsWith("coxswain: Throws.java:5: the controller Throws cannot be created: ")
          .hasLineCount(1);
      assertThat(sessions()).isEmpty();
    }
  }

  /** A person has rights in one namespace, or none at all: the right that is missing is in the log. */
  @Test
  void aRightThatIsMissing_isNamed_andTheControllerRunsWhenItIsGranted() throws Exception {
    try (EmbeddedApiServer server = server(ANNA, ROOT);
        HttpClient http = HttpClient.newHttpClient();
        Launcher run =
            Launcher.start(
                folder,
                Map.of(),
                "run",
                executable("Greeter.java").toString(),
                "--kubeconfig",
                kubeconfig(server).toString())) {
      server.apply(
          "{apiVersion: v1, kind: ConfigMap, metadata: {name: world, namespace: default, labels:"
              + " {greet: 'yes'}}}");
      run.await(
          "rights",
          LIMIT,
          () -> run.output().contains("cannot") && run.output().contains("leases"));
      grant(server);
      run.await("greeting", LIMIT, () -> map(http, server, "world").contains("Hello world"));
      run.terminate();
      assertThat(run.exitCode()).as(run.output()).isZero();
    }
  }

  /** The smallest operator as the guide has it. */
  private static String greeter() throws IOException {
    String page = Files.readString(Path.of("..", "..", "docs", "guides", "first-controller.md"));
    int start = page.indexOf("```java\n", page.indexOf("\n## Ten lines")) + "```java\n".length();
    String text = page.substring(start, page.indexOf("```", start));
    assertThat(text.lines()).hasSize(10);
    return text;
  }

  private String failure(EmbeddedApiServer server, String name, String text) throws Exception {
    Path file = Files.writeString(folder.resolve(name), text);
    try (Launcher run =
        Launcher.start(
            folder, Map.of("KUBECONFIG", kubeconfig(server).toString()), "run", file.toString())) {
      assertThat(run.exitCode()).as(run.errors() + run.output()).isEqualTo(1);
      assertThat(run.output()).isEmpty();
      return run.errors();
    }
  }

  private static EmbeddedApiServer server(Token... tokens) {
    return EmbeddedApiServer.startBlocking(
        EmbeddedApiServerOptions.defaults().withTokens(List.of(tokens)));
  }

  private static void grant(EmbeddedApiServer server) {
    server.apply(
        """
        {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: greeter},
         rules: [
          {apiGroups: [coordination.k8s.io], resources: [leases], verbs: ['*']},
          {apiGroups: [''], resources: [configmaps], verbs: ['*']}]}
        """);
    server.apply(
        """
        {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: greeter},
         roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: greeter},
         subjects: [{kind: User, apiGroup: rbac.authorization.k8s.io, name: anna}]}
        """);
  }

  private Path executable(String name) throws IOException {
    Path file = Files.writeString(folder.resolve(name), SHELL + greeter());
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Path kubeconfig(EmbeddedApiServer server) throws IOException {
    return Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig());
  }

  private static int index(String command, String argument) {
    return List.of(command.split("\0", -1)).indexOf(argument);
  }

  private static Matcher started(Launcher run) throws IOException {
    run.await("addresses", LIMIT, () -> EXPORTED.matcher(run.errors()).find());
    Matcher found = EXPORTED.matcher(run.errors());
    assertThat(found.find()).isTrue();
    return found;
  }

  private List<Path> sessions() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().contains("coxswain-dev-")).toList();
    }
  }

  private static String map(HttpClient http, EmbeddedApiServer server, String name)
      throws IOException {
    try {
      return http.send(
              HttpRequest.newBuilder(URI.create(server.url() + MAPS + "/" + name))
                  .header("Authorization", "Bearer " + ROOT.token())
                  .build(),
              BodyHandlers.ofString())
          .body();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
