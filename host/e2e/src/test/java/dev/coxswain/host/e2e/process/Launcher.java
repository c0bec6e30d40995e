// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** One run of {@code bin/coxswain}. */
public final class Launcher implements AutoCloseable {

  private static final Path BIN = Path.of("..", "bin").toAbsolutePath().normalize();
  public static final Path SCRIPT = BIN.resolve("coxswain");
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final Process process;
  private final Path output;
  private final Path errors;
  private final List<ProcessHandle> children = new ArrayList<>();

  private Launcher(Process process, Path output, Path errors) {
    this.process = process;
    this.output = output;
    this.errors = errors;
  }

  /** Makes a copy of the program, as it is installed; returns its script. */
  public static Path install(Path app) throws IOException {
    copy(Path.of("..", "target", "coxswain").toAbsolutePath().normalize(), app);
    copy(BIN, app.resolve("bin"));
    return app.resolve("bin").resolve("coxswain");
  }

  private static void copy(Path from, Path to) throws IOException {
    List<Path> all;
    try (Stream<Path> files = Files.walk(from, 2)) {
      all = new ArrayList<>(files.toList());
    }
    for (Path file : all) {
      String name = file.getFileName().toString();
      if (name.startsWith("ctl.jsa") || name.endsWith(".aot")) {
        continue; // the one is made at the first call of another class of tests, perhaps now; the
        // other does not fit the copy
      }
      Path target = to.resolve(from.relativize(file).toString());
      if (Files.isDirectory(file)) {
        Files.createDirectories(target);
      } else {
        Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
  }

  public static Launcher start(Path folder, Map<String, String> environment, String... arguments)
      throws IOException {
    return start(SCRIPT, folder, environment, arguments);
  }

  /** Starts the script in a folder, where its output is kept as well. */
  public static Launcher start(
      Path script, Path folder, Map<String, String> environment, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(List.of(script.toString()));
    command.addAll(List.of(arguments));
    Path output = Files.createTempFile(folder, "output", ".txt");
    Path errors = Files.createTempFile(folder, "errors", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectOutput(output.toFile())
            .redirectError(errors.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("COXSWAIN_"));
    builder.environment().put("COXSWAIN_JAVA_HOME", System.getProperty("java.home"));
    // What is tested has been packaged just now; a build inside a build would only be in the way.
    builder.environment().put("COXSWAIN_SKIP_BUILD", "1");
    // A run that is killed on purpose cannot clean up; its files go with the folder.
    if (!folder.toString().contains(" ")) {
      builder.environment().put("COXSWAIN_JAVA_OPTS", "-Djava.io.tmpdir=" + folder);
    }
    builder.environment().putAll(environment);
    return new Launcher(builder.start(), output, errors);
  }

  public String output() throws IOException {
    return Files.readString(output);
  }

  public long outputSize() throws IOException {
    return Files.size(output);
  }

  public String errors() throws IOException {
    return Files.readString(errors);
  }

  /** Waits for the first whole line of output. */
  public String firstLine() throws IOException, InterruptedException {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!output().contains("\n")) {
      assertThat(process.isAlive()).as("ended early: " + errors()).isTrue();
      assertThat(System.nanoTime()).as("no output: " + errors()).isLessThan(deadline);
      process.waitFor(20, TimeUnit.MILLISECONDS);
    }
    return output().lines().findFirst().orElseThrow();
  }

  /** What a test waits for. */
  public interface Condition {
    boolean holds() throws IOException;
  }

  /** Waits until a condition holds, as long as this run goes on. */
  public void await(String what, Duration limit, Condition condition) throws IOException {
    long end = System.nanoTime() + limit.toNanos();
    while (!condition.holds()) {
      assertThat(process.isAlive()).as(errors()).isTrue();
      assertThat(System.nanoTime() - end)
          .as("%s within %s:%n%s%s", what, limit, output(), errors())
          .isNegative();
      LockSupport.parkNanos(100_000_000);
    }
  }

  /** Waits for the end and returns the exit code. */
  public int exitCode() throws InterruptedException, IOException {
    return exitCode(LIMIT);
  }

  /** The same for a run that takes longer than others. */
  public int exitCode(Duration limit) throws InterruptedException, IOException {
    assertThat(process.waitFor(limit.toSeconds(), TimeUnit.SECONDS))
        .as("did not end: " + errors())
        .isTrue();
    return process.exitValue();
  }

  /** Returns a process that this run has started, which ends with it even if this test fails. */
  public ProcessHandle child(long pid) {
    ProcessHandle child = ProcessHandle.of(pid).orElseThrow();
    children.add(child);
    return child;
  }

  /** Types a line. */
  public void type(String line) throws IOException {
    process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
  }

  public ProcessHandle handle() {
    return process.toHandle();
  }

  public void terminate() {
    process.toHandle().destroy();
  }

  /**
   * Ends whatever of this run is left, and waits for it: its files are about to be deleted. Those
   * that were recorded by their id are ended as well when the process that started them is gone.
   */
  @Override
  public void close() {
    List<ProcessHandle> left = new ArrayList<>(children);
    try (Stream<ProcessHandle> descendants = process.descendants()) {
      descendants.forEach(left::add);
    }
    left.add(process.toHandle());
    left.forEach(ProcessHandle::destroyForcibly);
    for (ProcessHandle one : left) {
      one.onExit().orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).exceptionally(_ -> one).join();
    }
  }
}
