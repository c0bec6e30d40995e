// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.host.e2e.process.Launcher;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A start cache is used as long as nothing has changed, and whatever is wrong with it, the host starts. It is the one
 * that the build has made for all tests, or one that is made here when there is none. Tests that change something have a
 * copy of it and of the program, one after the other, under the name that the launcher has for the cache of that folder.
 */
@Order(1) // takes long
@SuppressWarnings("NullAway.Init") // copy() comes first
class StartCacheIT {

  /** On a busy machine; an idle one needs half a minute. */
  private static final Duration MAKE_LIMIT = Duration.ofMinutes(6);

  /** What "warm-up" has printed during the build. */
  private static final Path PRINTED = Path.of("target", "warm-up.txt");

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String OPENED = "Opened AOT cache";
  private static final String USED = "Using AOT-linked classes: true";
  private static final String NAME = "coxswain.start.cache = ";

  @TempDir private static Path shared;
  private static Path app;
  private static Path script;
  private static Path cache;

  /** The cache that was made first, and the two lines that were printed then. */
  private static Path made;

  private static String printed;

  @TempDir private Path folder;

  @BeforeAll
  @Timeout(value = 7, unit = TimeUnit.MINUTES)
  static void copy() throws Exception {
    app = shared.resolve("with space");
    script = Launcher.install(app);
    cache = named(script);
    made = named(Launcher.SCRIPT);
    if (Files.exists(PRINTED) && Files.exists(made)) {
      printed = Files.readString(PRINTED);
      Files.copy(made, cache);
      return;
    }
    made = cache;
    Files.createFile(app.resolve("start-1.aot"));
    try (Launcher run = Launcher.start(script, shared, Map.of(), "warm-up")) {
      assertThat(run.exitCode(MAKE_LIMIT)).as(run.errors()).isZero();
      printed = run.errors() + run.output();
    }
  }

  /** Returns the file that a launcher takes for its start cache; it is named by all that it depends on. */
  private static Path named(Path launcher) throws Exception {
    try (Launcher run =
        Launcher.start(
            launcher,
            shared,
            Map.of("COXSWAIN_JAVA_OPTS", "-XshowSettings:properties"),
            "warm-up",
            "--help")) {
      assertThat(run.exitCode()).as(run.errors()).isZero();
      return (run.errors() + run.output())
          .lines()
          .map(String::strip)
          .filter(line -> line.startsWith(NAME))
          .map(line -> Path.of(line.substring(NAME.length())))
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void aTrainingRun_makesOneFile_inThePlaceOfOlderOnes_andPrintsTwoLines() throws Exception {
    assertThat(caches(made.getParent())).containsExactly(made);
    assertThat(printed.lines()).hasSize(2);
    assertThat(printed).startsWith("coxswain: ").contains("\n" + made + ": ");
  }

  @Test
  void replicasAndDev_useTheCache_alsoWithMoreJars() throws Exception {
    Path plugin = Files.createDirectories(folder.resolve("classes"));
    Files.createFile(plugin.resolve("some.txt"));
    // The JVM takes a cache of another folder only as long as all jars are there.
    Path home = made.getParent();
    List<Path> before = startFiles(home);
    try (Launcher dev =
        Launcher.start(
            made.equals(cache) ? script : Launcher.SCRIPT,
            folder,
            logging(Map.of("COXSWAIN_CLASSPATH", plugin.toString())),
            "dev",
            "--json",
            "--ports=auto")) {
      JsonNode replica = JSON.readTree(dev.firstLine()).get("replicas").get(0);
      assertThat(log(dev.child(replica.get("pid").asLong()))).contains(USED);
      assertThat(log(dev.handle())).contains(USED);
      dev.terminate();
      assertThat(dev.exitCode()).as(dev.errors()).isZero();
    }
    assertThat(startFiles(home)).as("a start writes nothing").isEqualTo(before);
  }

  /** Their signatures would be checked at each start, also by a command that needs none of them. */
  @Test
  void theCache_refersToNoClassOfASignedJar() throws Exception {
    Path classes = folder.resolve("classes.log");
    try (Launcher run =
        Launcher.start(
            script,
            folder,
            Map.of("COXSWAIN_JAVA_OPTS", "-Xlog:class+load:file=" + classes),
            "version")) {
      assertThat(run.exitCode()).as(run.errors()).isZero();
    }
    assertThat(Files.readString(classes))
        .contains("shared objects file")
        .doesNotContain("org.bouncycastle.");
  }

  /** The JVM itself would run the old classes of such a jar. */
  @Test
  void aJarThatHasChanged_isRead_andNotTheCache() throws Exception {
    Path jar = app.resolve("lib").resolve("coxswain-host-launcher.jar");
    FileTime time = Files.getLastModifiedTime(jar);
    Files.setLastModifiedTime(jar, FileTime.fromMillis(time.toMillis() - 86_400_000));
    try {
      assertThat(version(Map.of())).doesNotContain(OPENED);
    } finally {
      Files.setLastModifiedTime(jar, time);
    }
    assertThat(version(Map.of())).contains(USED);
  }

  @Test
  void aCopyInAnotherFolder_doesNotUseIt() throws Exception {
    Path other = shared.resolve("elsewhere");
    Files.move(app, other);
    try {
      assertThat(version(other.resolve("bin").resolve("coxswain"), Map.of()))
          .doesNotContain(OPENED);
    } finally {
      Files.move(other, app);
    }
  }

  @Test
  void aDamagedCache_isSaidOnceInTheLog_andEverythingStarts() throws Exception {
    byte[] content = Files.readAllBytes(cache);
    Files.write(cache, "no cache at all".getBytes(UTF_8));
    try {
      assertThat(version(Map.of())).contains("Unable to map").doesNotContain(USED);
      try (Launcher dev =
          Launcher.start(script, folder, Map.of(), "dev", "--json", "--ports=auto")) {
        JSON.readTree(dev.firstLine());
        dev.terminate();
        assertThat(dev.exitCode()).as(dev.errors()).isZero();
        assertThat(dev.errors().lines().filter(line -> line.contains("start cache"))).hasSize(1);
        assertThat(dev.output()).hasLineCount(1);
      }
    } finally {
      Files.write(cache, content);
    }
  }

  @Test
  void otherFlags_areNoReasonToFail() throws Exception {
    assertThat(version(Map.of("COXSWAIN_JAVA_OPTS", "-XX:-UseCompactObjectHeaders")))
        .doesNotContain(USED);
    assertThat(version(Map.of("COXSWAIN_JAVA_OPTS", "-Xmx96m"))).contains(USED);
  }

  @Test
  void aTrainingRunThatFails_isTold_andLeavesNothing() throws Exception {
    List<Path> before = files(app);
    try (Launcher run =
        Launcher.start(
            script,
            folder,
            Map.of("COXSWAIN_JAVA_OPTS", "-Dcoxswain.none -Xshare:off"),
            "warm-up")) {
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.errors())
          .contains("coxswain: the training run ended with exit code 1: ", "-Xshare")
          .endsWith("; all of its output is in " + app.resolve("warm-up.log") + "\n")
          .hasLineCount(2);
      assertThat(run.output()).isEmpty();
    }
    assertThat(Files.readString(app.resolve("warm-up.log"))).contains("-Xshare");
    Files.delete(app.resolve("warm-up.log"));
    assertThat(files(app)).isEqualTo(before);
  }

  /** A thousand lines of log were printed instead. */
  @Test
  void aTrainingRunWithoutProgress_isOneLine_thatNamesTheLimit() throws Exception {
    try (Launcher run = Launcher.start(script, folder, Map.of(), "warm-up", "--stall-limit=1ms")) {
      assertThat(run.exitCode()).isEqualTo(1);
      assertThat(run.errors())
          .contains(" made no progress for 0.001s; --stall-limit or COXSWAIN_STALL_LIMIT sets")
          .endsWith("; all of its output is in " + app.resolve("warm-up.log") + "\n")
          .hasLineCount(2);
    } finally {
      Files.deleteIfExists(app.resolve("warm-up.log"));
    }
  }

  private String version(Map<String, String> environment) throws Exception {
    return version(script, environment);
  }

  /** Runs a small command, which must do what it always does, and returns the log of the JVM. */
  private String version(Path launcher, Map<String, String> environment) throws Exception {
    try (Launcher run = Launcher.start(launcher, folder, logging(environment), "version")) {
      assertThat(run.exitCode()).as(run.errors()).isZero();
      assertThat(run.output()).startsWith("coxswain ").hasLineCount(1);
      assertThat(run.errors()).isEmpty();
      return log(run.handle());
    }
  }

  private Map<String, String> logging(Map<String, String> environment) {
    String flags = environment.getOrDefault("COXSWAIN_JAVA_OPTS", "");
    Map<String, String> all = new HashMap<>(environment);
    all.put("COXSWAIN_JAVA_OPTS", flags + " -Xlog:aot:file=" + folder + "/aot-%p.log");
    return all;
  }

  private String log(ProcessHandle process) throws IOException {
    return Files.readString(folder.resolve("aot-" + process.pid() + ".log"));
  }

  private static List<Path> caches(Path of) throws IOException {
    try (Stream<Path> all = Files.list(of)) {
      return all.filter(file -> file.toString().endsWith(".aot")).toList();
    }
  }

  /** What a start could leave beside the program. Tests that run just now make other files there. */
  private static List<Path> startFiles(Path home) throws IOException {
    try (Stream<Path> all = Files.list(home)) {
      return all.filter(file -> file.getFileName().toString().matches("(start-|warm-up).*"))
          .sorted()
          .toList();
    }
  }

  private static List<Path> files(Path of) throws IOException {
    try (Stream<Path> all = Files.walk(of)) {
      return all.sorted().toList();
    }
  }
}
