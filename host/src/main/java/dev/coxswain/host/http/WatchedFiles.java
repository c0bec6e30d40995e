// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.http;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A group of files that is reloaded when the contents change. The files are read every few seconds:
 * a mounted ConfigMap or Secret changes by replacing a link, which neither the modification time
 * nor a watch on the file shows. Invalid contents are logged once, and the previous ones stay in
 * use.
 *
 * <p>Thread rule: any thread; files are read on worker threads.
 */
public final class WatchedFiles {

  private static final Logger LOG = LoggerFactory.getLogger(WatchedFiles.class);
  private static final Duration PERIOD = Duration.ofSeconds(5);

  /** The size limit of a file. */
  private static final int MAX_BYTES = 1 << 20;

  private final Vertx vertx;
  private final String key;
  private final List<Path> files;
  private final Function<List<byte[]>, Future<?>> use;

  /** The contents that were read last, used or not; guarded by this. */
  private List<byte[]> seen = List.of();

  private @Nullable Long timer; // guarded by this
  private volatile @Nullable String problem;

  /**
   * Creates a group that is not read yet.
   *
   * @param key the key of the files in the configuration
   * @param use applies the contents, in the order of the files; fails when they are invalid
   */
  public WatchedFiles(
      Vertx vertx, String key, List<Path> files, Function<List<byte[]>, Future<?>> use) {
    this.vertx = vertx;
    this.key = key;
    this.files = List.copyOf(files);
    this.use = use;
  }

  /** Loads the files, and checks them for changes from then on; fails when they are invalid. */
  public Future<Void> start() {
    return read()
        .compose(contents -> {
          note(contents);
          return use.apply(contents);
        })
        .recover(
            cause -> Future.failedFuture(new IOException(key + ": " + cause.getMessage(), cause)))
        .map(used -> {
          synchronized (this) {
            timer = vertx.setPeriodic(PERIOD.toMillis(), tick -> look());
          }
          return null;
        });
  }

  /** Reloads the files if they have changed; never fails. */
  public Future<Void> look() {
    return read()
        .<Void>compose(
            contents -> note(contents) ? apply(contents).mapEmpty() : Future.succeededFuture())
        .recover(this::failed);
  }

  private Future<?> apply(List<byte[]> contents) {
    return use.apply(contents)
        .onSuccess(used -> {
          problem = null;
          LOG.atInfo().addKeyValue("key", key).log("reloaded changed files");
        });
  }

  private Future<Void> failed(Throwable cause) {
    String now = key + ": " + cause.getMessage() + "; the previous contents stay in use";
    if (!now.equals(problem)) {
      problem = now;
      LOG.atWarn().addKeyValue("key", key).addKeyValue("error", now).log("changed files rejected");
    }
    return Future.succeededFuture();
  }

  /** Stores the contents and returns whether they have changed. */
  private synchronized boolean note(List<byte[]> contents) {
    boolean same = contents.size() == seen.size();
    for (int i = 0; same && i < contents.size(); i++) {
      same = Arrays.equals(contents.get(i), seen.get(i));
    }
    seen = contents;
    return !same;
  }

  /** Returns why the current files are not in use, or null. */
  public @Nullable String problem() {
    return problem;
  }

  /** Ends the checks for changes. */
  public synchronized void stop() {
    if (timer != null) {
      vertx.cancelTimer(timer);
      timer = null;
    }
  }

  private Future<List<byte[]>> read() {
    return vertx
        .executeBlocking(() -> {
          List<byte[]> contents = new ArrayList<>();
          for (Path file : files) {
            contents.add(read(file));
          }
          return contents;
        })
        .map(contents -> Objects.requireNonNull(contents));
  }

  private static byte[] read(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] content = in.readNBytes(MAX_BYTES + 1);
      if (content.length > MAX_BYTES) {
        throw new IOException(file + " is larger than " + MAX_BYTES + " bytes");
      }
      return content;
    } catch (NoSuchFileException e) {
      throw new IOException("no file " + file, e);
    } catch (IOException e) {
      throw new IOException(file + " cannot be read: " + e.getMessage(), e);
    }
  }
}
