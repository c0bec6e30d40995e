// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The project of {@code coxswain new} with Maven on an older Java, as Debian has it: the compiler of that
 * Java did not know the release 25. Needs one in the usual folder.
 */
class ProjectJdkIT {

  private static final Path JDKS = Path.of("/usr/lib/jvm");

  /** Maven fills a repository of its own. */
  private static final Duration LIMIT = Duration.ofMinutes(6);

  @TempDir private Path folder;
  private Path project;
  private Path maven;

  @BeforeEach
  void write() throws Exception {
    try (Launcher run = Launcher.start(folder, Map.of(), "new", "greeter", "--no-javadoc")) {
      assertThat(run.exitCode()).as(run.errors()).isZero();
    }
    project = folder.resolve("greeter");
    maven = PersonalMaven.install(folder, folder.resolve("bin"));
  }

  @Test
  void withMavenOnAnOlderJava_theProjectIsBuiltAndTested_byTheJdk25() throws Exception {
    try (Launcher run = mvn("-q", "package")) {
      assertThat(run.exitCode(LIMIT)).as(run.output() + run.errors()).isZero();
    }
    assertThat(project.resolve("target/greeter.jar")).exists();
    assertThat(project.resolve("target/surefire-reports/TEST-greeter.GreeterTest.xml"))
        .content()
        .contains("tests=\"2\" errors=\"0\" skipped=\"0\" failures=\"0\"")
        .contains("name=\"java.specification.version\" value=\"25\"");
  }

  @Test
  void withoutAJdkThatFits_theFirstLineSaysWhatToSet() throws Exception {
    Path pom = project.resolve("pom.xml");
    Files.writeString(pom, Files.readString(pom).replace("[25,)", "[99,)"));
    try (Launcher run = mvn("-q", "package")) {
      assertThat(run.exitCode(LIMIT)).isEqualTo(1);
      assertThat(run.output().lines().findFirst().orElse(""))
          .contains("needs a JDK 25 or later: install one, or set JAVA_HOME to it");
    }
  }

  private Launcher mvn(String... arguments) throws Exception {
    Optional<Path> old = oldJava();
    assumeThat(old).as("an older Java in " + JDKS).isPresent();
    return Launcher.start(
        maven,
        project,
        Map.of(
            "JAVA_HOME",
            old.orElseThrow().toString(),
            "JAVA25_HOME",
            System.getProperty("java.home"),
            "MAVEN_OPTS",
            PersonalMaven.OPTIONS),
        arguments);
  }

  private static Optional<Path> oldJava() throws Exception {
    if (!Files.isDirectory(JDKS)) {
      return Optional.empty();
    }
    try (DirectoryStream<Path> homes = Files.newDirectoryStream(JDKS, "*{17,21}*")) {
      for (Path home : homes) {
        if (Files.isExecutable(home.resolve("bin/java"))) {
          return Optional.of(home);
        }
      }
    }
    return Optional.empty();
  }
}
