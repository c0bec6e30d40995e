// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.jvm;

import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The training run that creates the start cache of this copy. The file appears only when it is
 * complete and a JVM has accepted it. Concurrent runs do not interfere. Child processes and
 * temporary files are removed when this process ends.
 *
 * <p>Thread rule: {@link #make} on one thread, which is blocked.
 */
public final class AotTraining {

  private static final Duration KILL_LIMIT = Duration.ofSeconds(5);
  private static final String LOG_CAUSE = "-Xlog:aot=warning:stderr";
  private static final String MADE = "made.aot";
  private static final String LOG = "warm-up.log";

  /** Returns the command line of a training run. */
  public interface Preparation {
    /**
     * Prepares the run.
     *
     * @param folder a folder for files of the run, which is deleted in the end
     * @return the arguments of a run of this program that starts a host, uses it once, and ends
     */
    List<String> arguments(Path folder) throws IOException, HostException;
  }

  private final Path cache;
  private final Path folder;
  private final Path work;
  private final StallLimit limit;
  private volatile @Nullable Process child;

  private AotTraining(Path cache, Path folder, StallLimit limit) throws IOException {
    this.limit = limit;
    this.cache = cache;
    this.folder = folder;
    this.work = Files.createTempDirectory(folder, ".start-");
  }

  /**
   * Makes the cache that the launcher has named; it takes the place of all older ones.
   *
   * @param training prepares the training run
   * @param limit how long the JVM that runs it may do nothing
   * @return the file of the cache
   */
  public static Path make(Preparation training, StallLimit limit) throws HostException {
    Path cache = StartCache.file();
    Path folder = cache == null ? null : cache.getParent();
    if (cache == null || folder == null) {
      throw new HostException("the path of the start cache is set by bin/coxswain: use that");
    }
    try {
      AotTraining maker = new AotTraining(cache, folder, limit);
      Runtime.getRuntime().addShutdownHook(new Thread(maker::clear, "clear"));
      maker.run(training);
    } catch (IOException e) {
      throw new HostException("the start cache cannot be written: " + e, e);
    }
    return cache;
  }

  private void run(Preparation training) throws IOException, HostException {
    Path made = work.resolve(MADE);
    List<String> arguments = training.arguments(work);
    run("the training run", HostJvm.command(learn(made), HostJvm.classPath(), arguments));
    List<String> flags = new ArrayList<>(StartCache.use(made));
    flags.add("-XX:AOTMode=on"); // fails when the cache is rejected
    flags.add(LOG_CAUSE);
    run(
        "a JVM with the new cache",
        HostJvm.command(flags, HostJvm.classPath(), List.of("version")));
    Files.deleteIfExists(folder.resolve(LOG));
    Files.move(made, cache, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, "start-*.aot")) {
      for (Path one : all) {
        if (!one.equals(cache)) {
          Files.deleteIfExists(one);
        }
      }
    }
  }

  /**
   * Returns the flags of a JVM that records a cache, without machine code, because a JVM would run
   * that of another processor (JDK-8388703), and without profiles of methods, with which a JVM
   * compiles every one of them as soon as its class is loaded.
   */
  private static List<String> learn(Path cache) {
    return List.of(
        "-XX:AOTCacheOutput=" + cache,
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:-AOTAdapterCaching",
        "-XX:-AOTStubCaching",
        "-XX:-AOTRecordTraining",
        LOG_CAUSE);
  }

  /** Runs a process to its end; its output is kept only when it fails. */
  private void run(String what, List<String> command) throws IOException, HostException {
    Path log = work.resolve(LOG);
    Process process =
        new ProcessBuilder(command)
            .redirectInput(Redirect.from(new File("/dev/null")))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    child = process;
    try {
      boolean ended = limit.awaitEnd(process);
      if (!ended || process.exitValue() != 0) {
        String how =
            ended
                ? "%s ended with exit code %s: %s"
                    .formatted(what, process.exitValue(), cause(Files.readString(log)))
                : limit.exceeded(what).getMessage();
        Path kept = folder.resolve(LOG);
        Files.copy(log, kept, StandardCopyOption.REPLACE_EXISTING);
        throw new HostException(how + "; all of its output is in " + kept);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HostException("interrupted while " + what + " was running", e);
    }
  }

  /**
   * Returns the line of the output of a failed process that has the cause: the last one that this program
   * has printed, or any that is not of a stack trace.
   */
  public static String cause(String output) {
    String ours = "coxswain: ";
    List<String> lines = output.lines().filter(line -> !line.isBlank()).toList();
    return lines.reversed().stream()
        .filter(line -> line.startsWith(ours))
        .findFirst()
        .or(() ->
            lines.reversed().stream()
                .filter(line -> !Character.isWhitespace(line.charAt(0)))
                .findFirst())
        .map(line -> line.startsWith(ours) ? line.substring(ours.length()) : line)
        .orElse("no output");
  }

  /** Ends the running process, and deletes temporary files. */
  private void clear() {
    Process process = child;
    if (process != null) {
      List<ProcessHandle> left = new ArrayList<>(process.descendants().toList());
      left.add(process.toHandle());
      left.forEach(ProcessHandle::destroyForcibly);
      left.forEach(one ->
          one.onExit()
              .orTimeout(KILL_LIMIT.toSeconds(), TimeUnit.SECONDS)
              .exceptionally(_ -> one)
              .join());
    }
    try {
      if (Files.isDirectory(work)) {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(work)) {
          for (Path one : all) {
            Files.deleteIfExists(one);
          }
        }
        Files.deleteIfExists(work);
      }
    } catch (IOException e) {
      System.err.println("coxswain: cannot delete " + work + ": " + e.getMessage());
    }
  }
}
