// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.author;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.PersonalMaven;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Exploration as an author has it: in a project of {@code coxswain new}, outside of this source tree, with
 * the test kit from its repository folder. The well-known eight faults are found, and none in three correct
 * controllers.
 */
@Order(1) // takes long
@Tag("long") // ShopsTest itself is part of each build
class ExploringProjectIT {

  private static final long LIMIT_MINUTES = 9;
  private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();
  private static final Path SHOPS =
      ROOT.resolve("k8s/junit5/src/test/java/dev/coxswain/junit5/author");

  @TempDir private Path folder;

  @Test
  void eightFaultsAreFound_andNoneInThreeCorrectControllers() throws Exception {
    try (Launcher run = Launcher.start(folder, Map.of(), "new", "shops")) {
      assertThat(run.exitCode()).as(run.errors()).isZero();
    }
    Path project = folder.resolve("shops");
    copyShops(project.resolve("src/test/java/shops"));
    Path maven = PersonalMaven.install(folder, folder.resolve("bin"));

    Path output = folder.resolve("output.txt");
    ProcessBuilder builder =
        new ProcessBuilder(
                maven.toString(), "-q", "test", "-Dtest=ShopsTest", "-Dcoxswain.long=true")
            .directory(project.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    int code = PersonalMaven.run(builder, output, LIMIT_MINUTES);
    assertThat(code).as(Files.readString(output)).isZero();
    assertThat(project.resolve("target/surefire-reports/TEST-shops.ShopsTest.xml"))
        .content()
        .contains("tests=\"11\" errors=\"0\" skipped=\"0\" failures=\"0\"");
  }

  private static void copyShops(Path to) throws IOException {
    Files.createDirectories(to);
    try (DirectoryStream<Path> sources = Files.newDirectoryStream(SHOPS, "*Shop*.java")) {
      for (Path source : sources) {
        String text = Files.readString(source).replace("dev.coxswain.junit5.author", "shops");
        Files.writeString(to.resolve(source.getFileName()), text);
      }
    }
  }
}
