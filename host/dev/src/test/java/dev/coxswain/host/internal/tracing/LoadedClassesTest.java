// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.host.internal.cli.Main;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hosts in processes of their own, which log the classes that they load. */
class LoadedClassesTest {

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  @TempDir private Path folder;

  @AfterEach
  void close() {
    server.close();
  }

  private long openTelemetryClasses(boolean tracing) throws Exception {
    Path kubeconfig =
        Files.writeString(
            folder.resolve("kubeconfig"),
            """
            apiVersion: v1
            kind: Config
            current-context: c
            clusters: [{name: c, cluster: {server: "%s"}}]
            users: [{name: u, user: {}}]
            contexts: [{name: c, context: {cluster: c, user: u}}]
            """
                .formatted(server.url()));
    Path classes = folder.resolve("classes-" + tracing);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xlog:class+load:file=" + classes + ":none");
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of("run", "--kubeconfig", kubeconfig.toString()));
    TracingTest.HOST.forEach(setting -> command.addAll(List.of("--set", setting)));
    command.addAll(List.of("--set", "tracing.enabled=" + tracing));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (BufferedReader output = process.inputReader()) {
      String line = output.readLine();
      while (line != null && !line.contains("host started")) {
        line = output.readLine();
      }
      assertThat(line).as("the line of a start").isNotNull();
    } finally {
      process.destroyForcibly().waitFor();
    }
    try (Stream<String> lines = Files.lines(classes)) {
      return lines.filter(line -> line.startsWith("io.opentelemetry.")).count();
    }
  }

  @Test
  void withTracingOff_noClassOfOpenTelemetryIsLoaded() throws Exception {
    assertThat(openTelemetryClasses(false)).isZero();
    assertThat(openTelemetryClasses(true)).as("with tracing").isPositive();
  }
}
