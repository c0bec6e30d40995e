// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.access;

import dev.coxswain.k8s.internal.AccessException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * A credential of files that are rotated: a token, a client certificate and its key. They are read
 * again after a while, and when the server refuses what they had. While they cannot be read, or do
 * not belong together yet, the credential before stays in use; it may still be valid.
 *
 * <p>Thread rule: any thread that may block.
 */
final class FileCredentials implements CredentialSource {

  private static final Logger log = LoggerFactory.getLogger(FileCredentials.class);

  /** Makes the credential of the contents of the files. */
  interface Form {
    Credential of(List<byte[]> contents) throws AccessException;
  }

  private final List<ConfiguredFile> files;
  private final Form form;
  private final long period;
  private final ReentrantLock lock = new ReentrantLock();
  private List<byte[]> contents; // guarded by the lock, as are the following
  private Credential credential;
  private long readAt = System.nanoTime();
  private boolean failing;

  private FileCredentials(List<ConfiguredFile> files, Form form, Duration period)
      throws AccessException {
    this.files = files;
    this.form = form;
    this.period = period.toNanos();
    this.contents = read(files);
    this.credential = form.of(contents);
  }

  /**
   * Reads the files once and returns a source of the credential.
   *
   * @param period the time after which they are read again
   * @throws AccessException when they cannot be used now
   */
  static CredentialSource of(List<ConfiguredFile> files, Form form, Duration period)
      throws AccessException {
    return files.stream().anyMatch(ConfiguredFile::isFile)
        ? new FileCredentials(files, form, period)
        : CredentialSource.of(form.of(read(files)));
  }

  private static List<byte[]> read(List<ConfiguredFile> files) throws AccessException {
    List<byte[]> contents = new ArrayList<>();
    for (ConfiguredFile file : files) {
      contents.add(file.read());
    }
    return contents;
  }

  @Override
  public Credential current() {
    lock.lock();
    try {
      if (System.nanoTime() - readAt >= period) {
        readAgain();
      }
      return credential;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public @Nullable Credential renewed(Credential refused) {
    lock.lock();
    try {
      if (credential == refused) {
        readAgain();
      }
      return credential == refused ? null : credential;
    } finally {
      lock.unlock();
    }
  }

  private void readAgain() {
    readAt = System.nanoTime();
    try {
      List<byte[]> now = read(files);
      if (!same(now)) {
        credential = form.of(now);
        contents = now;
      }
      failing = false;
    } catch (AccessException e) {
      log.atLevel(failing ? Level.DEBUG : Level.WARN)
          .addKeyValue("cause", e.getMessage())
          .log("credential cannot be read again, using the one before");
      failing = true;
    }
  }

  private boolean same(List<byte[]> now) {
    for (int i = 0; i < now.size(); i++) {
      if (!Arrays.equals(now.get(i), contents.get(i))) {
        return false;
      }
    }
    return true;
  }
}
