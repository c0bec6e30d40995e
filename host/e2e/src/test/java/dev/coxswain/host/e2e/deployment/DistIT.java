// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.host.e2e.process.Distribution;
import dev.coxswain.host.e2e.process.GreetingController;
import dev.coxswain.host.e2e.process.Launcher;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/** The files of a distribution are reproducible and complete, and the archive runs. */
@Timeout(900)
class DistIT {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path LAYERS = Path.of("..", "target", "image", "layers");

  @TempDir private static Path shared;
  private static JsonNode made;

  @TempDir private Path folder;

  /** With a training run, on a busy machine, perhaps after that of another class. */
  @BeforeAll
  @Timeout(1200)
  static void make() throws Exception {
    made = Distribution.made(shared);
  }

  /** A second training run; a build has no other use for it. */
  @Test
  @Tag("long")
  @Timeout(1200)
  void twoRuns_makeEqualBytes_andTheChecksumsAreThoseOfTheFiles() throws Exception {
    Path sums = path("archive").resolveSibling("SHA256SUMS");
    Distribution.exclusively(() -> {
      String first = Files.readString(sums);
      // Layers with known contents would be taken as they are.
      for (String layer : List.of("system", "java", "libraries", "coxswain", "conf")) {
        Files.delete(LAYERS.resolve(layer + ".digests"));
      }
      Files.delete(Path.of("..", "target", "ctl", "java.key"));
      assertThat(Distribution.make(folder, Map.of())).isEqualTo(made);
      assertThat(Files.readString(sums)).isEqualTo(first).hasLineCount(6);
      return Distribution.program(
          sums.resolveSibling("."), "sha256sum", "--check", "--strict", sums.toString());
    });
  }

  @Test
  void theArchive_hasNeitherDevelopmentNorOwnersNorOtherTimes() throws Exception {
    List<String> lines =
        Distribution.program(
                folder, "tar", "--utc", "-tvzf", path("archive").toString(), "--numeric-owner")
            .lines()
            .toList();
    String base = "coxswain-" + made.path("version").asText() + "/";
    assertThat(lines).allMatch(line -> line.matches("\\S+ 0/0 .*"));
    assertThat(
            lines.stream()
                .map(line -> line.split(" +", -1)[3] + line.split(" +", -1)[4])
                .distinct())
        .as("times")
        .hasSize(1);
    List<String> names = lines.stream().map(line -> line.split(" +", -1)[5]).toList();
    assertThat(names)
        .isSorted()
        .allMatch(name -> name.startsWith(base))
        .contains(
            base + "bin/coxswain",
            base + "conf/coxswain.yaml",
            base + "conf/coxswain.schema.json",
            base + "LICENSE",
            base + "NOTICE",
            base + "licenses/THIRD-PARTY.txt",
            base + "sbom.json")
        .noneMatch(name -> name.contains("apiserver") || name.contains("/dev/"))
        .noneMatch(name -> name.contains("examples") || name.contains("testkit"));
  }

  /** krew unpacks no links and sets no times; it moves what {@code files} names, and links {@code bin}. */
  @Test
  void theManifest_isThatOfTheArchiveOfCtl() throws Exception {
    JsonNode manifest = JSON.valueToTree(new Yaml().load(Files.readString(path("krew"))));
    JsonNode platform = manifest.at("/spec/platforms/0");
    Path archive = path("ctl");
    assertThat(manifest.at("/spec/version").asText())
        .isEqualTo("v" + made.path("version").asText());
    assertThat(platform.path("uri").asText())
        .isEqualTo(Distribution.DOWNLOADS + "/" + archive.getFileName());
    assertThat(platform.path("sha256").asText())
        .isEqualTo(
            HexFormat.of()
                .formatHex(
                    MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(archive))));
    List<String> lines =
        Distribution.program(folder, "tar", "-tvzf", archive.toString()).lines().toList();
    assertThat(lines).allMatch(line -> line.startsWith("d") || line.startsWith("-"));
    List<String> names = lines.stream().map(line -> line.split(" +", -1)[5]).toList();
    JsonNode files = platform.at("/files/0");
    assertThat(files.path("to").asText()).isEqualTo(".");
    String top = files.path("from").asText().replaceFirst("\\*$", "");
    assertThat(names)
        .allMatch(name -> name.startsWith(top) && !name.contains(".."))
        .contains(
            top + platform.path("bin").asText(),
            top + "LICENSE",
            top + "NOTICE",
            top + "licenses/THIRD-PARTY.txt",
            top + "java/legal/java.base/LICENSE",
            top + "java/lib/server/classes.jsa")
        .noneMatch(name -> name.endsWith(".jar") && !name.endsWith("/jrt-fs.jar"));
    assertThat(Files.size(archive)).as("bytes to download").isLessThan(32L * 1024 * 1024);
  }

  @Test
  void theArchive_runsAControllerFromAnotherFolder() throws Exception {
    Distribution.program(folder, "tar", "-xzf", path("archive").toString());
    Path copy = folder.resolve("coxswain-" + made.path("version").asText());
    try (Launcher schema =
        Launcher.start(copy.resolve("bin/coxswain"), folder, Map.of(), "config", "schema")) {
      assertThat(schema.exitCode()).isZero();
      assertThat(copy.resolve("conf/coxswain.schema.json")).hasContent(schema.output());
    }
    Path jar = Distribution.controllers(folder, folder.resolve("controllers.jar"));
    Map<String, String> environment = Distribution.freePorts();
    environment.put("COXSWAIN_CLASSPATH", jar.toString());
    try (EmbeddedApiServer server =
        EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults())) {
      server.apply(GreetingController.OBJECT);
      Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig());
      try (Launcher run =
          Launcher.start(
              copy.resolve("bin/coxswain"),
              folder,
              environment,
              "run",
              "--config",
              copy.resolve("conf/coxswain.yaml").toString(),
              "--kubeconfig",
              kubeconfig.toString())) {
        Distribution.awaitGreeting(run, server);
        run.terminate();
        assertThat(run.exitCode()).as(run.output()).isZero();
      }
    }
  }

  @Test
  void theBillOfMaterials_hasEveryJarAndEveryLicense() throws Exception {
    JsonNode document = JSON.readTree(path("sbom").toFile());
    assertThat(document.path("bomFormat").asText()).isEqualTo("CycloneDX");
    assertThat(document.path("components")).hasSizeGreaterThan(60);
    for (JsonNode component : document.path("components")) {
      assertThat(component.path("licenses")).as("%s", component.path("name")).isNotEmpty();
    }
  }

  /** For machines that have no time for a training run. */
  @Test
  void withoutAStartCache_nothingIsTrained_andTheImageHasNone() throws Exception {
    Distribution.Untrained untrained = Distribution.untrained(folder);
    assertThat(untrained.errors()).doesNotContain("training");
    assertThat(untrained.startCache()).isFalse();
    assertThat(untrained.options())
        .doesNotContain("AOTCache", "start.cache")
        .contains("dev.coxswain.host.internal.cli.Main");
  }

  @Test
  @Timeout(1200)
  void aWrongTime_isOneLine() throws Exception {
    String errors =
        Distribution.exclusively(() -> {
          try (Launcher run =
              Launcher.start(folder, Map.of("SOURCE_DATE_EPOCH", "today"), "dist")) {
            assertThat(run.exitCode()).isEqualTo(1);
            return run.errors();
          }
        });
    assertThat(errors)
        .startsWith("coxswain: SOURCE_DATE_EPOCH is \"today\", expected seconds since 1970")
        .hasLineCount(1);
  }

  private static Path path(String what) {
    return Path.of(made.path(what).asText());
  }
}
