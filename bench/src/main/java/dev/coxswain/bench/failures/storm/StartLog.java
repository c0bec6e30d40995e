// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.storm;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file with the time of every start, a line each: nanoseconds of the machine's monotonic clock,
 * which all processes of a machine share. Each line is one write to the system, so that a process
 * that is killed leaves whole lines, and none that it counted is missing.
 *
 * <p>Thread rule: one thread at a time; a write takes microseconds, since it ends in the system's
 * cache.
 */
final class StartLog {
  private final FileChannel file;

  private StartLog(FileChannel file) {
    this.file = file;
  }

  static StartLog open(Path path) throws IOException {
    return new StartLog(
        FileChannel.open(
            path, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND));
  }

  /** Records that a retry starts now. */
  void retryStarted() {
    String line = System.nanoTime() + "\n";
    ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII));
    try {
      while (bytes.hasRemaining()) {
        file.write(bytes);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot record a start", e);
    }
  }
}
