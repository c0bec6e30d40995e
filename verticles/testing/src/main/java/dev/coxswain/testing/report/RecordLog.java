// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.report;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A file of lines. Each line is one write to the system, so that a process that is killed leaves
 * whole lines, and none that it recorded is missing. Not a channel: an interrupt, as at the end of
 * an ownership, would close that.
 *
 * <p>Thread rule: any thread; a write takes microseconds, since it ends in the system's cache.
 */
public final class RecordLog {
  private final FileOutputStream file;

  private RecordLog(FileOutputStream file) {
    this.file = file;
  }

  /** Opens a file to append to, which need not exist. */
  public static RecordLog open(Path path) throws IOException {
    return new RecordLog(new FileOutputStream(path.toFile(), true));
  }

  /** Appends a line. */
  public void append(String line) {
    try {
      file.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot record", e);
    }
  }
}
