// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Programs of Debian packages; nothing is downloaded by any other way. */
public final class DebianPackages {

  private static final long INSTALL_MINUTES = 6;

  /** Packages are installed by one process at a time. */
  private static final Path LOCK =
      Path.of(System.getProperty("java.io.tmpdir"), "coxswain-debian-packages.lock");

  private DebianPackages() {}

  /**
   * Has root install packages when a program is missing. The test is skipped for others, and fails
   * when the installation does.
   */
  public static synchronized void install(String program, String... packages)
      throws IOException, InterruptedException {
    if (onPath(program).isPresent()) {
      return;
    }
    assumeTrue(
        System.getProperty("user.name").equals("root") && onPath("apt-get").isPresent(),
        program + " is missing: apt-get install " + String.join(" ", packages));
    try (FileChannel file =
            FileChannel.open(LOCK, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock _ = file.lock()) {
      if (onPath(program).isPresent()) {
        return; // by another test
      }
      run("apt-get", "update");
      List<String> install =
          new ArrayList<>(List.of("apt-get", "install", "-y", "--no-install-recommends"));
      install.addAll(Arrays.asList(packages));
      run(install.toArray(String[]::new));
    }
  }

  public static Optional<Path> onPath(String program) {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
        .map(folder -> Path.of(folder, program))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Runs a command that must succeed, and returns what it prints. */
  public static String run(String... command) throws IOException, InterruptedException {
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
      String printed = Files.readString(output);
      assertThat(ended && process.exitValue() == 0)
          .as(String.join(" ", command) + "\n" + printed)
          .isTrue();
      return printed;
    } finally {
      Files.delete(output);
    }
  }
}
