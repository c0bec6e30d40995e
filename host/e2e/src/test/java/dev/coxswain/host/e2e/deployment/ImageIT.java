// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.host.e2e.process.Distribution;
import dev.coxswain.host.e2e.process.GreetingController;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.RenderedChart;
import dev.coxswain.host.e2e.process.UnpackedImage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The image as a container engine sees it: its documents and digests, and its entry point in the
 * unpacked layers, as its user, on a read-only file system. Needs {@code unshare} and the right to
 * use it; where only a user namespace is allowed, the user is root in that.
 */
@Timeout(900)
class ImageIT {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long MIB = 1024 * 1024;
  private static final int MOST_MIB = 150;

  @TempDir private static Path shared;
  private static Path tar;
  private static UnpackedImage image;

  @TempDir private Path folder;

  /** With a training run, on a busy machine, perhaps after that of another class. */
  @BeforeAll
  @Timeout(1200)
  static void unpack() throws Exception {
    image = Distribution.image(shared);
    tar = Path.of(Distribution.made(shared).path("image").asText());
  }

  @Test
  void theDocuments_haveTheDigestsOfWhatTheyName_inBothFormats() throws Exception {
    JsonNode manifest = image.manifest();
    List<JsonNode> all = new ArrayList<>(List.of(manifest.path("config")));
    manifest.path("layers").forEach(all::add);
    for (JsonNode descriptor : all) {
      assertThat(Files.size(image.file(descriptor))).isEqualTo(descriptor.path("size").asLong());
      assertThat("sha256:" + sha256(Files.readAllBytes(image.file(descriptor))))
          .isEqualTo(descriptor.path("digest").asText());
    }
    JsonNode docker = JSON.readTree(image.documents().resolve("manifest.json").toFile()).get(0);
    assertThat(docker.path("RepoTags").get(0).asText()).startsWith("coxswain:");
    assertThat(image.documents().resolve(docker.path("Config").asText()))
        .isEqualTo(image.file(manifest.path("config")));
    assertThat(docker.path("Layers")).hasSameSizeAs(manifest.path("layers")).hasSize(5);
    for (int i = 0; i < docker.path("Layers").size(); i++) {
      Path layer = image.documents().resolve(docker.path("Layers").get(i).asText());
      assertThat(layer).isEqualTo(image.file(manifest.path("layers").get(i)));
      Distribution.program(
          image.documents(),
          "sh",
          "-c",
          "[ \"sha256:$(gunzip -c \"$0\" | sha256sum | cut -d' ' -f1)\" = \"$1\" ]",
          layer.toString(),
          image.config().at("/rootfs/diff_ids").get(i).asText());
    }
  }

  @Test
  void theImage_isSmall_hasNoShell_andRunsAsNobodySpecial() throws Exception {
    assertThat(Files.size(tar) / MIB).isLessThan(MOST_MIB);
    assertThat(image.config().at("/config/User").asText()).isEqualTo("65532:65532");
    assertThat(image.config().at("/config/Healthcheck").isMissingNode()).isTrue();
    assertThat(image.config().at("/config/Labels").path("dev.coxswain.libc").asText()).isNotEmpty();
    try (Stream<Path> files = Files.walk(image.root())) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .doesNotContain("sh", "bash", "busybox", "apt", "dpkg");
    }
  }

  @Test
  void theStartCache_isValidAtThePathsOfTheImage() throws Exception {
    try (Launcher run = enter(Map.of("JDK_JAVA_OPTIONS", "-XX:AOTMode=on"), "version")) {
      assertThat(run.exitCode()).as(run.errors() + run.output()).isZero();
      assertThat(run.output()).startsWith("coxswain ");
    }
  }

  /** The chart sets this variable: flags in JDK_JAVA_OPTIONS lose against those of the image. */
  @Test
  void flagsOfTheChart_winOverThoseOfTheImage() throws Exception {
    assertThat(Files.readString(RenderedChart.CHART.resolve("templates/deployment.yaml")))
        .containsPattern("with .Values.jvmOptions }}\\s+- name: _JAVA_OPTIONS\\s");
    String flags = "-XX:TieredStopAtLevel=4 -XX:MaxRAMPercentage=31 -XX:+PrintFlagsFinal";
    try (Launcher run = enter(Map.of("_JAVA_OPTIONS", flags), "version")) {
      assertThat(run.exitCode()).as(run.errors() + run.output()).isZero();
      assertThat(run.output())
          .containsPattern(" TieredStopAtLevel += 4 ")
          .containsPattern(" MaxRAMPercentage += 31.0+ ");
    }
  }

  @Test
  void ctl_hasArgumentsOfItsOwn() throws Exception {
    List<String> java = List.of("/app/jre/bin/java", "@/app/ctl.options");
    try (Launcher run = enter(java, Map.of(), "--help")) {
      assertThat(run.exitCode()).as(run.errors() + run.output()).isZero();
      assertThat(run.output()).startsWith("coxswain ctl");
    }
  }

  @Test
  void theEntryPoint_reconciles_asItsUser_onAReadOnlyFileSystem() throws Exception {
    Distribution.controllers(folder, image.root().resolve("app/controllers/greeting.jar"));
    try (EmbeddedApiServer server =
        EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults())) {
      server.apply(GreetingController.OBJECT);
      Files.writeString(image.root().resolve("app/conf/kubeconfig"), server.kubeconfig());
      List<String> arguments = new ArrayList<>(image.words("Cmd"));
      arguments.addAll(List.of("--config", "/app/conf/coxswain.yaml"));
      arguments.addAll(List.of("--kubeconfig", "/app/conf/kubeconfig"));
      try (Launcher run = enter(Distribution.freePorts(), arguments.toArray(String[]::new))) {
        Distribution.awaitGreeting(run, server);
        assertThat(run.output() + run.errors())
            .doesNotContain("start cache", "Read-only file system", " ERROR ");
        run.terminate();
        assertThat(run.exitCode()).as(run.output()).isZero();
      }
    }
  }

  /** Runs the entry point with the environment of the image. */
  private Launcher enter(Map<String, String> environment, String... arguments) throws Exception {
    return enter(image.words("Entrypoint"), environment, arguments);
  }

  private Launcher enter(List<String> program, Map<String, String> environment, String... arguments)
      throws Exception {
    boolean superuser = Distribution.program(folder, "id", "-u").strip().equals("0");
    String namespace = superuser ? "--mount" : "--map-root-user";
    assumeThat(new ProcessBuilder("unshare", "--mount", namespace, "true").start().waitFor())
        .as("namespaces are allowed")
        .isZero();
    List<String> command = new ArrayList<>(List.of("--mount", namespace));
    List<String> all = new ArrayList<>(program);
    all.addAll(List.of(arguments));
    String user = superuser ? image.config().at("/config/User").asText() : "";
    command.addAll(image.enter(user, List.of(), all));
    return Launcher.start(
        Path.of("unshare"), folder, image.environment(environment), command.toArray(String[]::new));
  }

  private static String sha256(byte[] bytes) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }
}
