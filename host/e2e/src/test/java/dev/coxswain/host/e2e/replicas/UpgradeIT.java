// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.e2e.process.Launcher;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An upgrade from the previous commit to this one and back, while the objects change: no attempt is
 * lost, and none runs twice at a time. {@code -Dcoxswain.previous=COMMIT} takes another commit,
 * {@code -Dcoxswain.previous.home=FOLDER} one that is built: a source tree or an unpacked archive.
 */
@Tag("long")
@Timeout(3000)
class UpgradeIT extends ChangingReplicas {

  private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();

  @Test
  void upgradeAndRollback_loseNothing_andRunNoRequestTwice() throws Exception {
    Path previous = previous();
    beginChanges();
    rollOut(previous, Map.of());
    rollOut(Launcher.SCRIPT, Map.of());
    rollOut(previous, Map.of());
    rollOut(Launcher.SCRIPT, Map.of());
    judge();
    stopAll();
  }

  /** Returns the script of the previous version. */
  private Path previous() throws Exception {
    String home = System.getProperty("coxswain.previous.home", "");
    if (!home.isEmpty()) {
      Path place = Path.of(home).toAbsolutePath();
      Path tree = place.resolve("host/bin/coxswain");
      return Files.exists(tree) ? tree : place.resolve("bin/coxswain");
    }
    Path tree = folder.resolve("previous");
    String commit = System.getProperty("coxswain.previous", "HEAD~1");
    // An archive, not a worktree: that would leave a record in the repository.
    Path archive = folder.resolve("previous.tar");
    run(ROOT, "git", "archive", "--output=" + archive, commit);
    run(ROOT, "tar", "-xf", archive.toString(), "-C", Files.createDirectory(tree).toString());
    run(
        tree,
        "mvn",
        "-B",
        "-q",
        "-o",
        "-Pfast",
        "-pl",
        "host/dev",
        "-am",
        "package",
        "-DskipTests");
    return tree.resolve("host/bin/coxswain");
  }

  private void run(Path place, String... command) throws Exception {
    Path output = Files.createTempFile(folder, "command", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(new ArrayList<>(List.of(command)))
            .directory(place.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("JAVA_HOME", Objects.requireNonNull(System.getProperty("java.home")));
    Process process = builder.start();
    try {
      assertThat(process.waitFor(20, TimeUnit.MINUTES)).as("%s", List.of(command)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue())
        .as("%s: %s", List.of(command), Files.readString(output, StandardCharsets.UTF_8))
        .isZero();
  }
}
