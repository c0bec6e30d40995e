// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.author;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.e2e.process.Launcher;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The repository that {@code coxswain new} makes. It had only what is on the class path of {@code dev}, so
 * the test kit that two guides name could not be had.
 */
class ArtifactRepositoryIT {

  private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();

  /** With Javadoc, on a busy machine. */
  private static final Duration LIMIT = Duration.ofMinutes(9);

  @TempDir private Path folder;

  @Test
  void eachArtifactOfTheBomThatIsPublished_isThere_withSourcesAndJavadoc() throws Exception {
    Path repository = repository();
    TreeSet<String> published = new TreeSet<>();
    Matcher module =
        Pattern.compile("<module>(.+?)</module>")
            .matcher(Files.readString(ROOT.resolve("pom.xml")).replaceAll("(?s)<profiles>.*", ""));
    while (module.find()) {
      String pom = Files.readString(ROOT.resolve(module.group(1)).resolve("pom.xml"));
      Matcher artifact =
          Pattern.compile("(?s)</parent>.*?<artifactId>(.+?)</artifactId>").matcher(pom);
      if (!pom.contains("<maven.deploy.skip>true<") && artifact.find()) {
        published.add(artifact.group(1));
      }
    }
    assertThat(published).contains("coxswain-junit5", "coxswain-testkit", "coxswain-bom");
    for (String artifact : published) {
      List<String> files = files(repository.resolve(artifact));
      assertThat(files).as(artifact).anyMatch(file -> file.endsWith(".pom"));
      if (!artifact.equals("coxswain-bom")) {
        assertThat(files)
            .as(artifact)
            .anyMatch(file -> file.endsWith("-1.jar"))
            .anyMatch(file -> file.endsWith("-1-sources.jar"))
            .anyMatch(file -> file.endsWith("-1-javadoc.jar"));
        assertThat(metadata(repository.resolve(artifact)))
            .contains("<classifier>sources</classifier>", "<classifier>javadoc</classifier>");
      }
    }
    assertThat(entries(repository.resolve("coxswain-junit5"), "-sources.jar"))
        .contains("dev/coxswain/junit5/CoxswainTest.java");
    assertThat(entries(repository.resolve("coxswain-junit5"), "-javadoc.jar"))
        .contains("dev/coxswain/junit5/CoxswainTest.html")
        .noneMatch(entry -> entry.contains("/internal/"));
    assertThat(entries(repository.resolve("coxswain-k8s"), "-sources.jar"))
        .as("sources that an annotation processor has written")
        .contains("dev/coxswain/k8s/client/KubernetesOptionsBuilder.java");
  }

  /** An author should not wait for it twice, and one who does not want it not at all. */
  @Test
  void theJavadoc_isMadeOnce() throws Exception {
    repository();
    try (Launcher run = Launcher.start(folder, Map.of(), "new", "again")) {
      assertThat(run.exitCode(LIMIT)).as(run.errors()).isZero();
      assertThat(run.errors()).isEmpty();
    }
  }

  private Path repository() throws Exception {
    try (Launcher run = Launcher.start(folder, Map.of(), "new", "first")) {
      assertThat(run.exitCode(LIMIT)).as(run.errors()).isZero();
      assertThat(run.errors()).doesNotContain("no Javadoc");
    }
    String config = Files.readString(folder.resolve("first/.mvn/maven.config")).strip();
    return Path.of(URI.create(config.replace("-Dcoxswain.repository=", "")))
        .resolve("dev/coxswain");
  }

  private static List<String> files(Path artifact) throws IOException {
    try (Stream<Path> all = Files.walk(artifact)) {
      return all.filter(Files::isRegularFile).map(file -> file.getFileName().toString()).toList();
    }
  }

  private static String metadata(Path artifact) throws IOException {
    try (Stream<Path> all = Files.walk(artifact)) {
      return Files.readString(
          all.filter(file -> file.endsWith("maven-metadata.xml")).findFirst().orElseThrow());
    }
  }

  private static List<String> entries(Path artifact, String suffix) throws IOException {
    try (Stream<Path> all = Files.walk(artifact);
        JarFile jar =
            new JarFile(
                all.filter(file -> file.toString().endsWith(suffix))
                    .findFirst()
                    .orElseThrow()
                    .toFile())) {
      return jar.stream().map(ZipEntry::getName).toList();
    }
  }
}
