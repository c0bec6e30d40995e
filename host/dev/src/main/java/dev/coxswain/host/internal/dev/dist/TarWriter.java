// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;

/**
 * Writes tar files in the ustar format, whose bytes depend on the entries and one time alone: sorted
 * by name, each with that time and the owner root.
 *
 * <p>Thread rule: stateless.
 */
public final class TarWriter {

  private static final int BLOCK = 512;
  private static final int NAME = 100;
  private static final int PREFIX = 155;
  private static final int CHECKSUM_AT = 148;
  private static final int CHECKSUM_LENGTH = 8;
  private static final int SIZE_DIGITS = 11;
  private static final int ID_DIGITS = 7;

  private TarWriter() {}

  /**
   * Writes a whole tar file; the stream stays open.
   *
   * @throws IllegalArgumentException for two entries of the same name, or a name that the format
   *     cannot hold
   */
  static void write(OutputStream out, Collection<TarEntry> entries, Instant time)
      throws IOException {
    Map<String, TarEntry> sorted = new TreeMap<>();
    for (TarEntry entry : entries) {
      if (sorted.put(entry.name(), entry) != null) {
        throw new IllegalArgumentException("two entries are called " + entry.name());
      }
    }
    for (TarEntry entry : sorted.values()) {
      long size = entry.size();
      out.write(header(entry, size, time.getEpochSecond()));
      try (InputStream in = entry.open()) {
        if (in.transferTo(out) != size) {
          throw new IOException(entry.name() + " changed while it was read");
        }
      }
      out.write(new byte[(int) (-size & (BLOCK - 1))]);
    }
    out.write(new byte[2 * BLOCK]);
  }

  /** Writes a compressed tar file; the stream stays open. */
  public static void compress(OutputStream out, Collection<TarEntry> entries, Instant time)
      throws IOException {
    GZIPOutputStream compressed = new GZIPOutputStream(out);
    write(compressed, entries, time);
    compressed.finish();
  }

  private static byte[] header(TarEntry entry, long size, long seconds) {
    byte[] header = new byte[BLOCK];
    String name = entry.name();
    int cut = cut(name);
    put(header, 0, name.substring(cut == 0 ? 0 : cut + 1), NAME);
    octal(header, 100, entry.mode(), ID_DIGITS);
    octal(header, 108, 0, ID_DIGITS);
    octal(header, 116, 0, ID_DIGITS);
    octal(header, 124, size, SIZE_DIGITS);
    octal(header, 136, seconds, SIZE_DIGITS);
    String link = entry.link();
    header[156] = (byte) (link != null ? '2' : name.endsWith("/") ? '5' : '0');
    put(header, 157, link == null ? "" : link, NAME);
    put(header, 257, "ustar\00000", 8);
    put(header, 265, "root", 32);
    put(header, 297, "root", 32);
    octal(header, 329, 0, ID_DIGITS);
    octal(header, 337, 0, ID_DIGITS);
    put(header, 345, name.substring(0, cut), PREFIX);
    put(header, CHECKSUM_AT, " ".repeat(CHECKSUM_LENGTH), CHECKSUM_LENGTH);
    int sum = 0;
    for (byte one : header) {
      sum += one & 0xff;
    }
    octal(header, CHECKSUM_AT, sum, CHECKSUM_LENGTH - 2);
    return header;
  }

  /** Returns where a long name is divided into the prefix and the rest, or 0 for a short one. */
  private static int cut(String name) {
    if (name.length() <= NAME) {
      return 0;
    }
    int cut = name.indexOf('/', name.length() - NAME - 1);
    if (cut <= 0 || cut > PREFIX || cut == name.length() - 1) {
      throw new IllegalArgumentException("too long for a tar file: " + name);
    }
    return cut;
  }

  private static void put(byte[] header, int at, String text, int limit) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length > limit) {
      throw new IllegalArgumentException("too long for a tar file: " + text);
    }
    System.arraycopy(bytes, 0, header, at, bytes.length);
  }

  private static void octal(byte[] header, int at, long value, int digits) {
    String text = Long.toOctalString(value);
    if (value < 0 || text.length() > digits) {
      throw new IllegalArgumentException("too large for a tar file: " + value);
    }
    put(header, at, "0".repeat(digits - text.length()) + text, digits);
  }
}
