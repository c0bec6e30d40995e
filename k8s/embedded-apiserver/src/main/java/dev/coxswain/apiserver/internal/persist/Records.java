// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.persist;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Frames of a file: a line that names the format, then records. Any thread.
 *
 * <p>A record is its length, the checksum of its bytes and the checksum of those two numbers (each
 * four bytes), then the bytes. The second checksum makes a length that has rotted different from a
 * record that was cut off: a process that is killed leaves a record that begins well and ends
 * early, never one that is whole and wrong. A machine that loses power may leave zeros instead of
 * what was to be written behind some byte; no record ends with a zero, so that is told apart, too.
 */
final class Records {
  static final byte[] MAGIC = "coxswain-data 1\n".getBytes(StandardCharsets.US_ASCII);
  private static final int HEAD = 12;
  private static final int BLOCK = 64 * 1024;
  private static final int LARGEST = 64 * 1024 * 1024;

  private Records() {}

  /** Takes the records of a file in order. */
  interface Reader {
    void record(byte[] bytes) throws IOException;
  }

  /** Returns a record ready to be appended. */
  static ByteBuffer frame(byte[] bytes) {
    ByteBuffer frame = ByteBuffer.allocate(HEAD + bytes.length);
    frame.putInt(bytes.length).putInt(checksum(bytes, 0, bytes.length));
    frame.putInt(checksum(frame.array(), 0, 8));
    return frame.put(bytes).flip();
  }

  private static int checksum(byte[] bytes, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, offset, length);
    return (int) crc.getValue();
  }

  /**
   * Reads a file.
   *
   * @return how many of its bytes are whole records; the rest is a record that was cut off, or
   *     zeros
   * @throws DataDirectoryException when a record is damaged, so that what follows cannot be trusted
   */
  static long read(Path file, Reader reader) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      long size = channel.size();
      long end = endOfContent(channel, size);
      if (end == 0) {
        return 0;
      }
      byte[] magic = bytes(channel, 0, (int) Math.min(end, MAGIC.length));
      for (int i = 0; i < magic.length; i++) {
        if (magic[i] != MAGIC[i]) {
          throw new DataDirectoryException(file + " is not a file of this server");
        }
      }
      if (magic.length < MAGIC.length) {
        return 0;
      }
      long at = MAGIC.length;
      while (at < size) {
        byte[] record = record(channel, file, at, end, size);
        if (record == null) {
          return at;
        }
        reader.record(record);
        at += HEAD + record.length;
      }
      return at;
    }
  }

  /** Returns where the zeros at the end of a file begin. */
  private static long endOfContent(FileChannel channel, long size) throws IOException {
    for (long end = size; end > 0; ) {
      int length = (int) Math.min(end, BLOCK);
      byte[] block = bytes(channel, end - length, length);
      for (int i = length - 1; i >= 0; i--) {
        if (block[i] != 0) {
          return end - length + i + 1;
        }
      }
      end -= length;
    }
    return 0;
  }

  /**
   * Returns the record at an offset, or null when it is cut off there.
   *
   * @param end where the zeros at the end of the file begin
   */
  private static byte @Nullable [] record(
      FileChannel channel, Path file, long at, long end, long size) throws IOException {
    if (size - at < HEAD) {
      return null;
    }
    ByteBuffer head = ByteBuffer.wrap(bytes(channel, at, HEAD));
    int length = head.getInt();
    int sum = head.getInt();
    if (head.getInt() != checksum(head.array(), 0, 8) || length < 0 || length > LARGEST) {
      if (end <= at + HEAD) {
        return null;
      }
      throw damaged(file, at);
    }
    if (size - at - HEAD < length) {
      return null;
    }
    byte[] record = bytes(channel, at + HEAD, length);
    if (checksum(record, 0, length) != sum) {
      if (end < at + HEAD + length) {
        return null;
      }
      throw damaged(file, at);
    }
    return record;
  }

  static DataDirectoryException damaged(Path file, long at) {
    return new DataDirectoryException(
        file
            + " is damaged at byte "
            + at
            + ", what follows cannot be trusted: restore the directory or start with an empty one");
  }

  private static byte[] bytes(FileChannel channel, long at, int length) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(length);
    while (buffer.hasRemaining()) {
      int read = channel.read(buffer, at + buffer.position());
      if (read < 0) {
        throw new IOException("file became shorter while it was read");
      }
    }
    return buffer.array();
  }
}
