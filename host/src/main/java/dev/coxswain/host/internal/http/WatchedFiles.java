// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.http;

import dev.coxswain.host.internal.config.TlsFiles;
import dev.coxswain.http.internal.ServerCertificate;
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
import java.util.function.Consumer;
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

  /** The time after which changed contents that may be half written are read again. */
  private static final Duration CONFIRM = Duration.ofSeconds(1);

  /** The size limit of a file. */
  private static final int MAX_BYTES = 1 << 20;

  private final Vertx vertx;
  private final String key;
  private final List<Path> files;
  private final Function<List<byte[]>, Future<?>> use;
  private final boolean twice;
  private final Consumer<Throwable> rejected;

  /** The contents that were read last; guarded by this. */
  private List<byte[]> seen = List.of();

  /** The contents that were last used, or found invalid; guarded by this. */
  private List<byte[]> tried = List.of();

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
    this(vertx, key, files, use, false, _ -> {});
  }

  /**
   * Creates a group that is not read yet.
   *
   * @param key the key of the files in the configuration
   * @param use applies the contents, in the order of the files; fails when they are invalid
   * @param twice whether changed contents are used only when a second look, a second later, finds
   *     the same: for files of which a part may be valid, and that may be written in place; they
   *     are tried again at each look while they are invalid
   * @param rejected receives why the files are not in use, once for each reason
   */
  public WatchedFiles(
      Vertx vertx,
      String key,
      List<Path> files,
      Function<List<byte[]>, Future<?>> use,
      boolean twice,
      Consumer<Throwable> rejected) {
    this.vertx = vertx;
    this.key = key;
    this.files = List.copyOf(files);
    this.use = use;
    this.twice = twice;
    this.rejected = rejected;
  }

  /**
   * Creates a group of a certificate and its key, which is not read yet.
   *
   * @param key the section of the server in the configuration
   * @param use serves with a certificate from now on; fails when it is invalid
   */
  public static WatchedFiles certificate(
      Vertx vertx, String key, TlsFiles tls, Function<ServerCertificate, Future<?>> use) {
    return new WatchedFiles(
        vertx,
        key + ".tls",
        List.of(Path.of(tls.certificate()), Path.of(tls.key())),
        contents -> use.apply(new ServerCertificate(contents.get(0), contents.get(1))));
  }

  /** Loads the files, and checks them for changes from then on; fails when they are invalid. */
  public Future<Void> start() {
    return read()
        .compose(contents -> use.apply(contents).map(used -> contents))
        .recover(
            cause -> Future.failedFuture(new IOException(key + ": " + cause.getMessage(), cause)))
        .map(contents -> {
          follow(contents);
          return null;
        });
  }

  /**
   * Checks the files for changes from now on.
   *
   * @param used their contents that are in use
   */
  public synchronized void follow(List<byte[]> used) {
    seen = used;
    tried = used;
    timer = vertx.setPeriodic(PERIOD.toMillis(), tick -> look());
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
        .onFailure(_ -> retry())
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
      rejected.accept(cause);
    }
    return Future.succeededFuture();
  }

  /** Stores the contents and returns whether they are to be used. */
  private synchronized boolean note(List<byte[]> contents) {
    boolean confirmed = same(contents, seen);
    seen = contents;
    if (same(contents, tried)) {
      return false;
    }
    if (twice && !confirmed) {
      if (timer != null) {
        vertx.setTimer(CONFIRM.toMillis(), tick -> look());
      }
      return false;
    }
    tried = contents;
    return true;
  }

  private static boolean same(List<byte[]> a, List<byte[]> b) {
    boolean same = a.size() == b.size();
    for (int i = 0; same && i < a.size(); i++) {
      same = Arrays.equals(a.get(i), b.get(i));
    }
    return same;
  }

  /** Contents may become valid without a change, when they depend on the state of the host. */
  private synchronized void retry() {
    if (twice) {
      tried = List.of();
    }
  }

  /** The next contents are used, also when they are those of before. */
  private synchronized void unreadable() {
    seen = List.of();
    tried = List.of();
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
        .map(contents -> Objects.requireNonNull(contents))
        .onFailure(_ -> unreadable());
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
