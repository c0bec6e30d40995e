// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The command of docs/guides/first-controller.md that makes a project with Maven alone, in a Maven that has
 * nothing but Maven Central and a repository with the artifacts of this build.
 */
class ArchetypeIT {

  private static final long LIMIT_MINUTES = 4;
  private static final String PLUGIN = "org.apache.maven.plugins:maven-archetype-plugin:";
  private static final String REPORT = "target/surefire-reports/TEST-.*\\.xml";
  private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();

  @TempDir private Path folder;

  @Test
  void theProjectOfTheArchetype_isThatOfCoxswainNew_andItsTestsPass() throws Exception {
    Path written = Files.createDirectory(folder.resolve("written"));
    try (Launcher run = Launcher.start(written, Map.of(), "new", "greeter")) {
      assertThat(run.exitCode()).as(run.errors()).isZero();
    }
    Map<String, String> expected = files(written.resolve("greeter"));
    // It belongs to the machine: the repository, which is in the settings here.
    String config = Objects.requireNonNull(expected.remove(".mvn/maven.config"));
    String repository = config.strip().replace("-Dcoxswain.repository=", "");

    GuidePage page = GuidePage.read("first-controller.md");
    String parent = Files.readString(ROOT.resolve("pom.xml"));
    String command = page.block("text", "archetype:generate");
    assertThat(command)
        .contains("-DarchetypeVersion=" + first("<version>([^<]+)</version>", parent) + " ");
    String settings = page.block("xml", "<settings>");
    Path programs = folder.resolve("bin");
    PersonalMaven.install(
        folder, programs, settings.replaceFirst("<url>.*</url>", "<url>" + repository + "</url>"));
    // Maven takes the newest one otherwise; this one is there already, since this build uses it.
    String pinned =
        PLUGIN
            + first("<artifactId>maven-archetype-plugin</artifactId><version>([^<]+)<", parent)
            + ":generate";
    Path generated = Files.createDirectory(folder.resolve("generated"));
    String printed =
        run(
            generated,
            programs,
            command.replace("archetype:generate", pinned) + "cd greeter\nmvn -q package\n");
    assertThat(printed).doesNotContain("[WARNING]", "[ERROR]");

    Map<String, String> files = files(generated.resolve("greeter"));
    assertThat(files.remove("target/surefire-reports/TEST-greeter.GreeterTest.xml"))
        .contains("tests=\"2\" errors=\"0\" skipped=\"0\" failures=\"0\"");
    assertThat(files).containsExactlyInAnyOrderEntriesOf(expected);
  }

  private String run(Path home, Path programs, String script) throws Exception {
    Path output = folder.resolve("output.txt");
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-c", "set -eux\n" + script)
            .directory(home.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    builder.environment().put("MAVEN_OPTS", PersonalMaven.OPTIONS);
    builder.environment().merge("PATH", programs + ":", (path, own) -> own + path);
    Process process = builder.start();
    boolean ended = process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES);
    if (!ended) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    String printed = Files.readString(output);
    assertThat(ended && process.exitValue() == 0).as(printed).isTrue();
    return printed;
  }

  private static String first(String pattern, String text) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertThat(matcher.find()).as(pattern).isTrue();
    return matcher.group(1);
  }

  /** Texts by paths; of what Maven has made, only the reports. */
  private static Map<String, String> files(Path project) throws IOException {
    Map<String, String> texts = new TreeMap<>();
    try (Stream<Path> all = Files.walk(project)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        String name = project.relativize(file).toString();
        if (!name.startsWith("target/") || name.matches(REPORT)) {
          texts.put(name, Files.readString(file));
        }
      }
    }
    return texts;
  }
}
