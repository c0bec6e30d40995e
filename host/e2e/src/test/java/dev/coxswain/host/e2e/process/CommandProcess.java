// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.process;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Commands of what was packaged, one after the other in one JVM: where the launcher is not what is tested, its
 * start would cost more than the command.
 *
 * <p>Thread rule: any thread, one command at a time.
 */
public final class CommandProcess implements AutoCloseable {

  private static final Path HOST = Path.of("..").toAbsolutePath().normalize();
  private static final Path APP = HOST.resolve("target/coxswain");
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final Process process;
  private final BufferedReader output;
  private final BufferedReader errors;

  /** What a command has printed, and its exit code. */
  public record Result(int exitCode, String output, String errors) {}

  private CommandProcess(Process process) {
    this.process = process;
    this.output = process.inputReader(UTF_8);
    this.errors = process.errorReader(UTF_8);
  }

  /** Starts the JVM in a folder, which is that of its temporary files as well. */
  public static CommandProcess start(Path folder) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "@" + HOST.resolve("bin/jvm.options"),
                "-Dcoxswain.jvm.options=" + HOST.resolve("bin/jvm.options"),
                "-Djava.io.tmpdir=" + folder,
                "-cp",
                classPath(),
                ManyCommands.class.getName())
            .directory(folder.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("COXSWAIN_"));
    return new CommandProcess(builder.start());
  }

  /** As the launcher has it for the commands of an author. */
  private static String classPath() throws IOException {
    List<String> all = new ArrayList<>();
    all.add(APP.resolve("lib/coxswain-host-launcher.jar").toString());
    add("classpath", all);
    all.add(APP.resolve("dev/coxswain-host-dev-launcher.jar").toString());
    add("dev/classpath", all);
    URL classes = CommandProcess.class.getProtectionDomain().getCodeSource().getLocation();
    all.add(Path.of(URI.create(classes.toString())).toString());
    return String.join(File.pathSeparator, all);
  }

  private static void add(String file, List<String> all) throws IOException {
    for (String jar : Files.readString(APP.resolve(file)).strip().split(File.pathSeparator, -1)) {
      all.add(APP.resolve(jar).toString());
    }
  }

  /** Runs a command to its end. */
  public Result run(String... arguments) throws Exception {
    return run(LIMIT, arguments);
  }

  /** The same for a command that takes longer than others. */
  public synchronized Result run(Duration limit, String... arguments) throws Exception {
    process.getOutputStream().write(ManyCommands.encoded(List.of(arguments)).getBytes(UTF_8));
    process.getOutputStream().flush();
    CompletableFuture<Result> result = new CompletableFuture<>();
    Thread.ofVirtual()
        .start(() -> {
          try {
            result.complete(read());
          } catch (Throwable e) {
            result.completeExceptionally(e);
          }
        });
    try {
      return result.get(limit.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError(List.of(arguments).toString(), e);
    }
  }

  private Result read() {
    StringBuilder failures = new StringBuilder();
    CompletableFuture<Integer> code = CompletableFuture.supplyAsync(() -> read(errors, failures));
    StringBuilder printed = new StringBuilder();
    read(output, printed);
    return new Result(code.join(), printed.toString(), failures.toString());
  }

  private static int read(BufferedReader from, StringBuilder into) {
    try {
      for (String line = from.readLine(); line != null; line = from.readLine()) {
        int end = line.indexOf(ManyCommands.END);
        if (end >= 0) {
          into.append(line, 0, end);
          return Integer.parseInt(line.substring(end + ManyCommands.END.length()));
        }
        into.append(line).append('\n');
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    throw new AssertionError("the process has ended: " + into);
  }

  @Override
  public void close() throws IOException {
    process.getOutputStream().close(); // which ends it
    try {
      process.onExit().orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).isZero();
  }
}
