// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.author;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.coxswain.host.e2e.process.CommandProcess;
import dev.coxswain.host.e2e.process.GuidePage;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.PersonalMaven;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * The command of docs/guides/first-controller.md that makes a project with Maven alone, in a Maven that has
 * nothing but Maven Central and a repository with the artifacts of this build. Where there is an older Java in the usual
 * folder, that Maven runs on it, as Debian has it: the compiler of that Java does not know the release 25.
 */
@TestInstance(Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // generate() comes first
@Order(2) // the next longest
class ArchetypeIT {

  private static final long LIMIT_MINUTES = 6;
  private static final Path JDKS = Path.of("/usr/lib/jvm");
  private static final String PLUGIN = "org.apache.maven.plugins:maven-archetype-plugin:";
  private static final String REPORT = "target/surefire-reports/TEST-.*\\.xml";
  private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();

  private Path folder;
  private Path programs;
  private Path project;
  private Map<String, String> expected;
  private String printed;

  /** Makes the project and builds it, in a repository of its own that is empty at first. */
  @BeforeAll
  void generate(@TempDir Path made) throws Exception {
    folder = made;
    Path written = Files.createDirectory(folder.resolve("written"));
    try (Launcher run = Launcher.start(written, Map.of(), "new", "greeter")) {
      assertThat(run.exitCode()).as(run.errors()).isZero();
    }
    expected = files(written.resolve("greeter"));
    // It belongs to the machine: the repository, which is in the settings here.
    String config = Objects.requireNonNull(expected.remove(".mvn/maven.config"));
    String repository = config.strip().replace("-Dcoxswain.repository=", "");

    GuidePage page = GuidePage.read("first-controller.md");
    String parent = Files.readString(ROOT.resolve("pom.xml"));
    String command = page.block("text", "archetype:generate");
    assertThat(command)
        .contains("-DarchetypeVersion=" + first("<version>([^<]+)</version>", parent) + " ");
    String settings = page.block("xml", "<settings>");
    programs = folder.resolve("bin");
    PersonalMaven.install(
        folder, programs, settings.replaceAll("<url>.*</url>", "<url>" + repository + "</url>"));
    // Maven takes the newest one otherwise; this one is there already, since this build uses it.
    String pinned =
        PLUGIN
            + first("<artifactId>maven-archetype-plugin</artifactId><version>([^<]+)<", parent)
            + ":generate";
    Path generated = Files.createDirectory(folder.resolve("generated"));
    project = generated.resolve("greeter");
    Printed run =
        run(
            generated,
            command.replace("archetype:generate", pinned) + "cd greeter\nmvn -q package\n");
    printed = run.text();
    assertThat(run.code()).as(printed).isZero();
  }

  @Test
  void theProjectOfTheArchetype_isThatOfCoxswainNew_andItsTestsPass() throws Exception {
    assertThat(printed).doesNotContain("[WARNING]", "[ERROR]");
    Map<String, String> files = files(project);
    assertThat(files.remove("target/surefire-reports/TEST-greeter.GreeterTest.xml"))
        .contains("tests=\"2\" errors=\"0\" skipped=\"0\" failures=\"0\"");
    assertThat(files).containsExactlyInAnyOrderEntriesOf(expected);
  }

  /** By the settings of the page, which name the repository of plug-ins. */
  @Test
  void theProjectOfTheArchetype_hasTheGoals() throws Exception {
    Printed rights = run(project, "mvn -q coxswain:rbac\n");
    assertThat(rights.code()).as(rights.text()).isZero();
    assertThat(rights.text())
        .contains("metadata: {name: coxswain-controller-greeter}", "resources: [configmaps]");
  }

  @Test
  void withMavenOnAnOlderJava_theProjectIsBuiltAndTested_byTheJdk25() throws Exception {
    assumeThat(oldJava()).as("an older Java in " + JDKS).isPresent();
    assertThat(project.resolve("target/greeter.jar")).exists();
    assertThat(project.resolve("target/surefire-reports/TEST-greeter.GreeterTest.xml"))
        .content()
        .contains("name=\"java.specification.version\" value=\"25\"");
  }

  @Test
  void withoutAJdkThatFits_theFirstLineSaysWhatToSet() throws Exception {
    assumeThat(oldJava()).as("an older Java in " + JDKS).isPresent();
    Path other = Files.createDirectory(folder.resolve("other"));
    String pom = Files.readString(project.resolve("pom.xml"));
    Files.writeString(other.resolve("pom.xml"), pom.replace("[25,)", "[99,)"));
    Printed run = run(other, "mvn -q package\n");
    assertThat(run.code()).isEqualTo(1);
    assertThat(run.text().lines().filter(line -> !line.startsWith("+ ")).findFirst().orElse(""))
        .contains("needs a JDK 25 or later: install one, or set JAVA_HOME to it");
  }

  /** All tests run once, in the last build: they cost more than the compiler does. */
  @Test
  void aProjectWithResources_isBuiltAndTested_alsoAfterOneMore_andHasTheDefinitionsOfItsClasses()
      throws Exception {
    Path shop = Files.createDirectory(folder.resolve("shop"));
    try (CommandProcess commands = CommandProcess.start(shop)) {
      ok(commands, "new", ".", "--api", "Cart", "--webhook", "--no-javadoc");
      build(shop, "mvn -q package -DskipTests\n");

      ok(commands, "add", "api", "Policy.rules.example.org/v1beta1");
      ok(commands, "add", "webhook", "Policy");
      Map<String, String> added = files(shop);
      build(shop, "mvn -q package\n");
      assertThat(tests(shop))
          .containsExactlyInAnyOrder(
              "CartControllerTest", "CartWebhookTest", "PolicyControllerTest", "PolicyWebhookTest");
      ok(commands, "crd", "generate", "--output", "src/main/resources/coxswain/dev/shop");
      Map<String, String> generated = files(shop);
      generated.keySet().removeIf(name -> name.startsWith("target/"));
      added.keySet().removeIf(name -> name.startsWith("target/"));
      assertThat(generated).isEqualTo(added);
      assertThat(ok(commands, "rbac", "generate"))
          .contains("apiGroups: [shop.example.com], resources: [carts/status]")
          .contains("apiGroups: [rules.example.org], resources: [policies/status]");
      theGoalsOfMaven_doWhatTheCommandsDo(shop, commands);
    }
  }

  /** The plug-in comes from the repository that the project was made with, and there is no launcher on the path. */
  private void theGoalsOfMaven_doWhatTheCommandsDo(Path shop, CommandProcess commands)
      throws Exception {
    Printed verified = run(shop, "mvn -q coxswain:verify -Dcoxswain.args=--timeout=240s\n");
    assertThat(verified.code()).as(verified.text()).isZero();
    assertThat(verified.text())
        .contains("ok       rights        no request was forbidden", " 0 failed");

    Printed made = run(shop, "mvn -q coxswain:chart -Dcoxswain.name=example.com/shop\n");
    assertThat(made.code()).as(made.text()).isZero();
    ok(commands, "chart", "--name=example.com/shop", "--output=" + shop.resolve("command"));
    String chart = "shop-1.0.0-chart.tgz";
    assertThat(shop.resolve("target").resolve(chart))
        .hasSameBinaryContentAs(shop.resolve("command").resolve(chart));

    // The image of the same jars in the same order is the same.
    Path copies = folder.resolve("m2/dev/coxswain/coxswain-maven-plugin");
    Path app = Path.of("..", "target", "coxswain");
    try (DirectoryStream<Path> copy = Files.newDirectoryStream(copies, "*-SNAPSHOT")) {
      Path installed = copy.iterator().next().resolve("coxswain");
      for (String file : List.of("classpath", "lib/coxswain-host-launcher.jar")) {
        assertThat(installed.resolve(file)).hasSameBinaryContentAs(app.resolve(file));
      }
      assertThat(jars(installed.resolve("dev/classpath")))
          .containsExactlyInAnyOrderElementsOf(jars(app.resolve("dev/classpath")));
    }
  }

  private static List<String> jars(Path classPath) throws IOException {
    return List.of(Files.readString(classPath).strip().split(":"));
  }

  private static String ok(CommandProcess commands, String... command) throws Exception {
    CommandProcess.Result run = commands.run(command);
    assertThat(run.exitCode()).as(run.errors()).isZero();
    return run.output();
  }

  private void build(Path home, String script) throws Exception {
    Printed run = run(home, script);
    assertThat(run.code()).as(run.text()).isZero();
    assertThat(run.text()).doesNotContain("[WARNING]", "[ERROR]");
  }

  /** Returns the classes of tests that have passed. */
  private static List<String> tests(Path project) throws IOException {
    return files(project).entrySet().stream()
        .filter(file -> file.getKey().startsWith("target/"))
        .filter(file ->
            file.getValue().contains("tests=\"2\" errors=\"0\" skipped=\"0\" failures=\"0\""))
        .map(file -> file.getKey().replaceFirst(".*\\.(.*)\\.xml", "$1"))
        .toList();
  }

  private record Printed(int code, String text) {}

  /** Runs a script in a shell that prints its commands. */
  private Printed run(Path home, String script) throws Exception {
    Path output = Files.createTempFile(folder, "output", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder("bash", "-c", "set -eux\n" + script).directory(home.toFile());
    String java = Objects.requireNonNull(System.getProperty("java.home"));
    builder.environment().put("JAVA_HOME", oldJava().map(Path::toString).orElse(java));
    builder.environment().put("JAVA25_HOME", java);
    builder.environment().put("MAVEN_OPTS", PersonalMaven.OPTIONS);
    builder.environment().merge("PATH", programs + ":", (path, own) -> own + path);
    int code = PersonalMaven.run(builder, output, LIMIT_MINUTES);
    return new Printed(code, Files.readString(output));
  }

  private static Optional<Path> oldJava() throws IOException {
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
