// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import dev.coxswain.host.internal.jvm.HostJvm;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The source tree of this launcher, which has been built; or an installed copy that has what authors need, as the Maven plug-in
 * makes it.
 *
 * <p>Thread rule: immutable.
 *
 * @param root the folder with the sources, or of the copy
 * @param host the folder {@code host} of the sources, or again that of the copy
 * @param revision the commit, or empty when this is no clone
 * @param time the time of the files: {@code SOURCE_DATE_EPOCH}, or of the commit
 * @param limit how long other programs may do nothing
 */
public record SourceTree(Path root, Path host, String revision, Instant time, StallLimit limit) {

  /**
   * The time of the files in the layers of the image, so that unchanged files are an unchanged
   * layer; and of everything when there is no other. It is the output timestamp of the build.
   */
  public static final Instant FIXED_TIME = Instant.parse("2026-01-01T00:00:00Z");

  private static final Duration LOCK_LOOK = Duration.ofMillis(200);

  private static final String EPOCH = "SOURCE_DATE_EPOCH";

  /**
   * Finds the tree or the copy, by the folder of the launcher.
   *
   * @param command the command that needs it, for the message
   */
  public static SourceTree find(String command, StallLimit limit) throws HostException {
    Path options = HostJvm.options();
    if (options != null) {
      Path host = options.resolve("../..").normalize();
      if (Files.isRegularFile(host.resolveSibling("pom.xml"))) {
        return ofClone(host.resolveSibling(".").normalize(), host, limit);
      }
      if (Files.isDirectory(host.resolve("chart"))) {
        return new SourceTree(host, host, "", timeWithoutCommit(), limit);
      }
    }
    throw new HostException(
        "coxswain %s needs the source tree: run host/bin/coxswain of a clone".formatted(command));
  }

  /** Finds the tree, where a copy is not enough. */
  static SourceTree findClone(String command, StallLimit limit) throws HostException {
    SourceTree tree = find(command, limit);
    if (tree.isCopy()) {
      throw new HostException(
          "coxswain %s needs the source tree: run host/bin/coxswain of a clone".formatted(command));
    }
    return tree;
  }

  private static SourceTree ofClone(Path root, Path host, StallLimit limit) throws HostException {
    List<String> commit = commit(root, limit);
    return new SourceTree(
        root,
        host,
        commit.isEmpty() ? "" : commit.getLast(),
        time(System.getenv(EPOCH), commit),
        limit);
  }

  /** Returns the time of files that belong to no commit: {@code SOURCE_DATE_EPOCH}, or a fixed one. */
  public static Instant timeWithoutCommit() throws HostException {
    return time(System.getenv(EPOCH), List.of());
  }

  private static Instant time(@Nullable String epoch, List<String> commit) throws HostException {
    if (epoch == null || epoch.isBlank()) {
      return commit.isEmpty()
          ? FIXED_TIME
          : Instant.ofEpochSecond(Long.parseLong(commit.getFirst()));
    }
    try {
      return Instant.ofEpochSecond(Long.parseUnsignedLong(epoch.strip()));
    } catch (RuntimeException e) {
      throw new HostException(
          EPOCH + " is \"" + epoch + "\", expected seconds since 1970, such as 1767225600", e);
    }
  }

  /** Returns the time and the id of the commit, or nothing. */
  private static List<String> commit(Path root, StallLimit limit) throws HostException {
    if (!Files.exists(root.resolve(".git"))) {
      return List.of();
    }
    String line =
        Program.output(limit, "git", "-C", root.toString(), "log", "-1", "--format=%ct %H");
    return List.of(line.strip().split(" ", -1));
  }

  /** Returns whether this is an installed copy. */
  boolean isCopy() {
    return root.equals(host);
  }

  Path bin() {
    return host.resolve("bin");
  }

  Path app() {
    return isCopy() ? host : host.resolve("target/coxswain");
  }

  /** Returns the folder of the chart. */
  public Path chart() {
    return host.resolve("chart");
  }

  /** Returns the folder of the rendered manifests of projects. */
  public Path manifests() {
    return host.resolve("kustomize/project");
  }

  /** Returns the folder of what an image is made of, which is kept. */
  public Path image() {
    return work().resolve("image");
  }

  /** Returns the folder of all that is made. */
  Path work() {
    return isCopy() ? host : host.resolve("target");
  }

  /**
   * Takes the lock of all that makes files from this tree, until the result is closed. Waits for another process that
   * has it: a copy is shared by all projects of a user, and Maven may build several at once.
   *
   * @throws HostException when another process has it for longer than the limit
   */
  public Closeable lock() throws IOException, HostException {
    FileChannel file =
        FileChannel.open(
            work().resolve(".dist.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    long since = System.nanoTime();
    boolean told = false;
    try {
      while (file.tryLock() == null) {
        if (!told) {
          told = true;
          System.err.println("coxswain: waiting for another coxswain dist or image");
        }
        if (System.nanoTime() - since > limit.length().toNanos()) {
          throw limit.exceeded("another coxswain dist or image of this clone or copy");
        }
        Thread.sleep(LOCK_LOOK);
      }
      return file;
    } catch (IOException | HostException e) {
      file.close();
      throw e;
    } catch (InterruptedException e) {
      file.close();
      Thread.currentThread().interrupt();
      throw new HostException("interrupted", e);
    }
  }

  /** Returns the folder of what is made. */
  Path target() {
    return work().resolve("dist");
  }

  /** Returns the jars of production, in the order of the class path. */
  public List<Path> jars() throws IOException {
    List<Path> jars = new ArrayList<>(List.of(app().resolve("lib/coxswain-host-launcher.jar")));
    for (String jar : Files.readString(app().resolve("classpath")).strip().split(":", -1)) {
      jars.add(app().resolve(jar));
    }
    return jars;
  }
}
