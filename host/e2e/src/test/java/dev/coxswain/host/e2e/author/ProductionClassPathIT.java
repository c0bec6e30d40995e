// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.author;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.e2e.process.Launcher;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What production loads: neither the embedded API server, nor the examples, nor tools, nor what tests use. The
 * folder of the development sessions has exactly the difference.
 */
class ProductionClassPathIT {

  private static final Path APP = Path.of("..", "target", "coxswain").toAbsolutePath().normalize();
  private static final List<String> FORBIDDEN =
      List.of(
          "dev/coxswain/apiserver/",
          "dev/coxswain/examples/",
          "dev/coxswain/host/internal/dev/",
          "dev/coxswain/archetype/",
          "dev/coxswain/authoring/",
          "com/cronutils/",
          "dev/coxswain/testkit/",
          "dev/cel/",
          "com/google/common/",
          "com/google/protobuf/",
          "com/google/re2j/",
          "org/antlr/",
          "org/threeten/extra/",
          "coxswain/dev/",
          "org/junit/",
          "org/assertj/");

  @TempDir private Path folder;

  @Test
  void theProductionJars_haveNoServerNoExampleAndNoTestKit() throws Exception {
    List<Path> jars = listed("classpath");
    jars.add(APP.resolve("lib/coxswain-host-launcher.jar"));
    assertThat(inFolder("lib")).containsExactlyInAnyOrderElementsOf(jars);
    for (Path jar : jars) {
      assertThat(entries(jar))
          .as("%s", jar)
          .noneMatch(entry -> FORBIDDEN.stream().anyMatch(entry::startsWith));
      assertThat(services(jar)).as("controllers of %s", jar).isEmpty();
    }
  }

  @Test
  void theDevelopmentFolder_hasTheServerTheExamplesTheToolsAndNothingElse() throws Exception {
    List<Path> jars = listed("dev/classpath");
    jars.add(APP.resolve("dev/coxswain-host-dev-launcher.jar"));
    List<Path> others = new ArrayList<>(inFolder("dev"));
    assertThat(others).containsAll(jars);
    others.removeAll(jars);
    assertThat(others)
        .as("for the repository of projects alone")
        .extracting(jar -> jar.getFileName().toString().replaceFirst("-\\d.*", ""))
        .containsExactlyInAnyOrder("coxswain-junit5", "coxswain-maven-plugin");
    assertThat(jars).hasSize(19);
    for (Path jar : jars) {
      assertThat(entries(jar))
          .as("%s", jar)
          .anyMatch(entry -> FORBIDDEN.subList(0, 13).stream().anyMatch(entry::startsWith));
    }
  }

  /** In a copy without the folder everything but development sessions works. */
  @Test
  void withoutTheDevelopmentFolder_theOtherCommandsWork_andDevSaysWhatIsMissing() throws Exception {
    Path copy = folder.resolve("coxswain");
    copy(Path.of("..", "bin"), copy.resolve("bin"));
    copy(APP.resolve("lib"), copy.resolve("lib"));
    Files.copy(APP.resolve("classpath"), copy.resolve("classpath"));
    Path script = copy.resolve("bin/coxswain");
    try (Launcher run = Launcher.start(script, folder, Map.of(), "version")) {
      assertThat(run.exitCode()).as(run.errors()).isZero();
    }
    for (String command : List.of("dev", "warm-up")) {
      try (Launcher run = Launcher.start(script, folder, Map.of(), command)) {
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errors())
            .startsWith("coxswain: this copy of Coxswain has no folder \"dev\"")
            .hasLineCount(1);
      }
    }
  }

  private static List<Path> listed(String file) throws IOException {
    return new ArrayList<>(
        Arrays.stream(Files.readString(APP.resolve(file)).strip().split(File.pathSeparator))
            .map(APP::resolve)
            .toList());
  }

  private static List<Path> inFolder(String name) throws IOException {
    try (Stream<Path> files = Files.list(APP.resolve(name))) {
      return files.filter(file -> file.toString().endsWith(".jar")).toList();
    }
  }

  private static List<String> entries(Path jar) throws IOException {
    try (JarFile file = new JarFile(jar.toFile())) {
      return file.stream().map(ZipEntry::getName).filter(name -> !name.endsWith("/")).toList();
    }
  }

  private static List<String> services(Path jar) throws IOException {
    return entries(jar).stream()
        .filter(
            entry -> entry.equals("META-INF/services/dev.coxswain.controller.ControllerDefinition"))
        .toList();
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }
}
