// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The browser and its driver, as Debian packages them; nothing is downloaded by any other way.
 *
 * @param browser the program
 * @param driver what drives it, of the same version
 */
record Chromium(Path browser, Path driver) {

  private static final long INSTALL_MINUTES = 6;

  /**
   * Finds them, and has root install what is missing. The test is skipped for others, and fails
   * when the installation does.
   */
  static Chromium installed() throws IOException, InterruptedException {
    Optional<Chromium> found = find();
    if (found.isEmpty()) {
      assumeTrue(
          System.getProperty("user.name").equals("root") && onPath("apt-get").isPresent(),
          "Chromium is missing, so the dashboard is not tried in it:"
              + " apt-get install chromium chromium-driver");
      run("apt-get", "update");
      run("apt-get", "install", "-y", "--no-install-recommends", "chromium", "chromium-driver");
      found = find();
    }
    return found.orElseThrow(() -> new AssertionError("installed, and yet not on the path"));
  }

  private static Optional<Chromium> find() {
    return onPath("chromium")
        .flatMap(browser -> onPath("chromedriver").map(driver -> new Chromium(browser, driver)));
  }

  private static Optional<Path> onPath(String program) {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
        .map(folder -> Path.of(folder, program))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static void run(String... command) throws IOException, InterruptedException {
    Path output = Files.createTempFile("install", ".txt");
    try {
      ProcessBuilder builder =
          new ProcessBuilder(List.of(command))
              .redirectErrorStream(true)
              .redirectOutput(output.toFile());
      builder.environment().put("DEBIAN_FRONTEND", "noninteractive");
      Process process = builder.start();
      boolean ended = process.waitFor(INSTALL_MINUTES, TimeUnit.MINUTES);
      process.destroyForcibly();
      assertThat(ended && process.exitValue() == 0)
          .as(String.join(" ", command) + "\n" + Files.readString(output))
          .isTrue();
    } finally {
      Files.delete(output);
    }
  }
}
