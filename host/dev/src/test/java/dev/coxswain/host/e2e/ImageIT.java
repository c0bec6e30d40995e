// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
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

  /** What an engine mounts; then the image is read-only, and a user without rights takes over. */
  private static final String ENTER =
      """
      set -e
      root=$1 user=$2
      shift 2
      mount --bind "$root" "$root"
      mount --rbind /proc "$root/proc"
      mount --rbind /dev "$root/dev"
      mount -o remount,bind,ro "$root"
      exec chroot ${user:+--userspec="$user"} "$root" "$@"
      """;

  @TempDir private static Path shared;
  private static Path tar;
  private static Path unpacked;
  private static Path root;
  private static JsonNode config;
  private static JsonNode manifest;

  @TempDir private Path folder;

  /** With a training run, on a busy machine. */
  @BeforeAll
  @Timeout(600)
  static void unpack() throws Exception {
    tar = Path.of(Distribution.make(shared, Map.of()).path("image").asText());
    unpacked = Files.createDirectory(shared.resolve("unpacked"));
    root = Files.createDirectory(shared.resolve("root"));
    Distribution.program(unpacked, "tar", "-xf", tar.toString());
    JsonNode index = JSON.readTree(unpacked.resolve("index.json").toFile());
    manifest = blob(index.at("/manifests/0"));
    config = blob(manifest.path("config"));
    for (JsonNode layer : manifest.path("layers")) {
      Path file = file(layer);
      String names = Distribution.program(unpacked, "tar", "-tzf", file.toString());
      assertThat(names).as("no layer deletes anything").doesNotContain(".wh.");
      Distribution.program(root, "tar", "-xzf", file.toString(), "--same-permissions");
    }
  }

  @Test
  void theDocuments_haveTheDigestsOfWhatTheyName_inBothFormats() throws Exception {
    List<JsonNode> all = new ArrayList<>(List.of(manifest.path("config")));
    manifest.path("layers").forEach(all::add);
    for (JsonNode descriptor : all) {
      assertThat(Files.size(file(descriptor))).isEqualTo(descriptor.path("size").asLong());
      assertThat("sha256:" + sha256(Files.readAllBytes(file(descriptor))))
          .isEqualTo(descriptor.path("digest").asText());
    }
    JsonNode docker = JSON.readTree(unpacked.resolve("manifest.json").toFile()).get(0);
    assertThat(docker.path("RepoTags").get(0).asText()).startsWith("coxswain:");
    assertThat(unpacked.resolve(docker.path("Config").asText()))
        .isEqualTo(file(manifest.path("config")));
    assertThat(docker.path("Layers")).hasSameSizeAs(manifest.path("layers")).hasSize(5);
    for (int i = 0; i < docker.path("Layers").size(); i++) {
      Path layer = unpacked.resolve(docker.path("Layers").get(i).asText());
      assertThat(layer).isEqualTo(file(manifest.path("layers").get(i)));
      Distribution.program(
          unpacked,
          "sh",
          "-c",
          "[ \"sha256:$(gunzip -c \"$0\" | sha256sum | cut -d' ' -f1)\" = \"$1\" ]",
          layer.toString(),
          config.at("/rootfs/diff_ids").get(i).asText());
    }
  }

  @Test
  void theImage_isSmall_hasNoShell_andRunsAsNobodySpecial() throws Exception {
    assertThat(Files.size(tar) / MIB).isLessThan(MOST_MIB);
    assertThat(config.at("/config/User").asText()).isEqualTo("65532:65532");
    assertThat(config.at("/config/Healthcheck").isMissingNode()).isTrue();
    assertThat(config.at("/config/Labels").path("dev.coxswain.libc").asText()).isNotEmpty();
    try (Stream<Path> files = Files.walk(root)) {
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
    Distribution.controllers(folder, root.resolve("app/controllers/greeting.jar"));
    try (EmbeddedApiServer server =
        EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults())) {
      server.apply(GreetingController.OBJECT);
      Files.writeString(root.resolve("app/conf/kubeconfig"), server.kubeconfig());
      List<String> arguments = new ArrayList<>();
      config.at("/config/Cmd").forEach(word -> arguments.add(word.asText()));
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
    List<String> entryPoint = new ArrayList<>();
    config.at("/config/Entrypoint").forEach(word -> entryPoint.add(word.asText()));
    return enter(entryPoint, environment, arguments);
  }

  private Launcher enter(List<String> program, Map<String, String> environment, String... arguments)
      throws Exception {
    boolean superuser = Distribution.program(folder, "id", "-u").strip().equals("0");
    String namespace = superuser ? "--mount" : "--map-root-user";
    assumeThat(new ProcessBuilder("unshare", "--mount", namespace, "true").start().waitFor())
        .as("namespaces are allowed")
        .isZero();
    List<String> command = new ArrayList<>(List.of("--mount", namespace, "/bin/sh", "-c", ENTER));
    command.addAll(
        List.of("enter", root.toString(), superuser ? config.at("/config/User").asText() : ""));
    command.addAll(program);
    command.addAll(List.of(arguments));
    Map<String, String> all = new HashMap<>(environment);
    for (JsonNode variable : config.at("/config/Env")) {
      String[] parts = variable.asText().split("=", 2);
      if (!parts[0].equals("PATH")) { // unshare and mount are found by it
        all.put(parts[0], parts[1]);
      }
    }
    return Launcher.start(Path.of("unshare"), folder, all, command.toArray(String[]::new));
  }

  private static JsonNode blob(JsonNode descriptor) throws IOException {
    return JSON.readTree(file(descriptor).toFile());
  }

  private static Path file(JsonNode descriptor) {
    return unpacked.resolve(
        "blobs/sha256/" + descriptor.path("digest").asText().replace("sha256:", ""));
  }

  private static String sha256(byte[] bytes) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }
}
