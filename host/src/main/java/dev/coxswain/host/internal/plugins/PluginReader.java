// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.plugins;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * Reads the jars of one plug-in as streams: no entry is in memory as a whole, and what is kept is
 * deflated. All bounds are checked while it reads, so a jar that has no end is not read to its end.
 *
 * <p>Thread rule: one thread, which blocks.
 */
final class PluginReader implements AutoCloseable {

  private static final int BUFFER = 16 * 1024;

  /** The memory that an entry takes beside its content and its name, about. */
  private static final int ENTRY_BYTES = 256;

  private static final String CLASS = ".class";
  private static final String SERVICES = "META-INF/services/";
  private static final int END_SIGNATURE = 0x06054b50;
  private static final int END_BYTES = 22;
  private static final int MAX_COMMENT = 0xffff;
  private static final int MORE_THAN_COUNTED = 0xffff;

  private final PluginMemory.Share memory;
  private final Map<String, List<PluginEntry>> all = new HashMap<>();
  private final MessageDigest digest;
  private final Deflater deflater = new Deflater(Deflater.BEST_SPEED);
  private final byte[] buffer = new byte[BUFFER];
  private final byte[] deflated = new byte[BUFFER];
  private int filled;
  private long unpacked;
  private int entries;

  PluginReader(PluginMemory.Share memory) {
    this.memory = memory;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /**
   * Reads one jar.
   *
   * @throws IOException when it cannot be read, or is no jar
   * @throws PluginException when the plug-in is too large, or the jar changes at the same time
   */
  void add(PluginFiles.Jar jar) throws IOException, PluginException {
    Map<String, PluginEntry> own = new LinkedHashMap<>();
    int found = 0;
    try (FileChannel file = FileChannel.open(jar.path(), StandardOpenOption.READ);
        ZipInputStream in =
            new ZipInputStream(new BufferedInputStream(Channels.newInputStream(file), BUFFER))) {
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        found++;
        count(entry.getName());
        if (entry.isDirectory()) {
          skip(in);
        } else {
          own.put(entry.getName(), read(in, entry.getName()));
        }
      }
      if (found == 0) {
        throw new IOException("it has no entries"); // not a zip file, or cut off in the first entry
      }
      requireEnd(file, found);
    }
    if (!jar.isUnchanged()) {
      throw new PluginException(
          jar.path().getFileName()
              + " changed while it was read; it is read again when it is complete");
    }
    PluginRelease.ofThisJvm(own)
        .forEach((path, entry) -> all.computeIfAbsent(path, _ -> new ArrayList<>(1)).add(entry));
  }

  private void count(String path) throws PluginException {
    if (++entries > PluginContents.MAX_ENTRIES) {
      throw new PluginException("it has more than " + PluginContents.MAX_ENTRIES + " entries");
    }
    memory.add(ENTRY_BYTES + 2L * path.length());
  }

  private void skip(InputStream in) throws IOException, PluginException {
    for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
      unpack(read);
    }
  }

  @SuppressWarnings("ThreadPriorityCheck") // nothing relies on it: it is for other virtual threads
  private void unpack(int bytes) throws PluginException {
    unpacked += bytes;
    if (unpacked > PluginContents.MAX_BYTES) {
      throw new PluginException(
          "it is larger than %d MiB, unpacked".formatted(PluginContents.MAX_BYTES >> 20));
    }
    Thread.yield(); // inflating takes long, and others need this carrier of virtual threads
  }

  private PluginEntry read(InputStream in, String path) throws IOException, PluginException {
    long most =
        path.endsWith(CLASS)
            ? PluginContents.MAX_CLASS_BYTES
            : path.startsWith(SERVICES) ? PluginContents.MAX_SERVICE_BYTES : Long.MAX_VALUE;
    digest.update(path.getBytes(StandardCharsets.UTF_8));
    digest.update((byte) 0);
    deflater.reset();
    filled = 0;
    List<byte[]> pieces = new ArrayList<>(1);
    long size = 0;
    for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
      unpack(read);
      size += read;
      if (size > most) {
        throw new PluginException(
            "%s is larger than %d MiB, the limit of such an entry".formatted(path, most >> 20));
      }
      digest.update(buffer, 0, read);
      deflater.setInput(buffer, 0, read);
      while (!deflater.needsInput()) {
        deflate(pieces);
      }
    }
    deflater.finish();
    while (!deflater.finished()) {
      deflate(pieces);
    }
    keep(pieces);
    return new PluginEntry(pieces, size);
  }

  private void deflate(List<byte[]> pieces) throws PluginException {
    filled += deflater.deflate(deflated, filled, deflated.length - filled);
    if (filled == deflated.length) {
      keep(pieces);
    }
  }

  private void keep(List<byte[]> pieces) throws PluginException {
    if (filled > 0) {
      memory.add(filled);
      pieces.add(Arrays.copyOf(deflated, filled));
      filled = 0;
    }
  }

  /** A stream ends without a fault where a file is cut off between two entries. */
  private static void requireEnd(FileChannel file, int found) throws IOException {
    long size = file.size();
    int length = (int) Math.min(size, END_BYTES + MAX_COMMENT);
    ByteBuffer tail = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    while (tail.hasRemaining() && file.read(tail, size - length + tail.position()) >= 0) {
      // until all is read
    }
    for (int at = length - END_BYTES; at >= 0; at--) {
      if (tail.getInt(at) == END_SIGNATURE
          && at + END_BYTES + Short.toUnsignedInt(tail.getShort(at + 20)) == length) {
        int listed = Short.toUnsignedInt(tail.getShort(at + 10));
        if (listed != found && listed != MORE_THAN_COUNTED) {
          throw new IOException("it lists %d entries and has %d".formatted(listed, found));
        }
        return;
      }
    }
    throw new IOException("its end is missing");
  }

  /** Returns what was read. */
  PluginContents contents() {
    Map<String, List<PluginEntry>> copy = new HashMap<>();
    all.forEach((path, each) -> copy.put(path, List.copyOf(each)));
    return new PluginContents(
        Map.copyOf(copy), HexFormat.of().formatHex(digest.digest()), unpacked, memory);
  }

  /** Frees the memory that is outside of the heap. */
  @Override
  public void close() {
    deflater.end();
  }

  /**
   * The entries of a multi-release jar that this JVM uses.
   */
  private static final class PluginRelease {

    private static final String MANIFEST = "META-INF/MANIFEST.MF";
    private static final String UNVERSIONED = "META-INF/";
    private static final String VERSIONS = "META-INF/versions/";
    private static final int FIRST_VERSION = 9;

    /** The bytes of a manifest that are looked at; the attributes of the jar are its first lines. */
    private static final int MANIFEST_BYTES = 64 * 1024;

    private static final Pattern MULTI_RELEASE = Pattern.compile("(?im)^Multi-Release: *true *$");

    private PluginRelease() {}

    /** Returns for each path the entry of the highest version up to that of this JVM. */
    static Map<String, PluginEntry> ofThisJvm(Map<String, PluginEntry> entries) throws IOException {
      PluginEntry manifest = entries.get(MANIFEST);
      if (manifest == null || !isMultiRelease(manifest)) {
        return entries;
      }
      Map<String, PluginEntry> used = new LinkedHashMap<>();
      Map<String, Integer> versions = new HashMap<>();
      entries.forEach((path, entry) -> {
        int version = version(path);
        String target =
            version == 0 ? path : path.substring(path.indexOf('/', VERSIONS.length()) + 1);
        if (version >= 0 && version >= versions.getOrDefault(target, 0)) {
          versions.put(target, version);
          used.put(target, entry);
        }
      });
      return used;
    }

    /** Returns the version of an entry: 0 for one of all versions, -1 for one that is never used. */
    private static int version(String path) {
      if (!path.startsWith(VERSIONS)) {
        return 0;
      }
      int end = path.indexOf('/', VERSIONS.length());
      try {
        int version =
            Integer.parseInt(path, VERSIONS.length(), Math.max(end, VERSIONS.length()), 10);
        boolean used =
            version >= FIRST_VERSION
                && version <= Runtime.version().feature()
                && !path.startsWith(UNVERSIONED, end + 1);
        return used ? version : -1;
      } catch (NumberFormatException e) {
        return -1;
      }
    }

    private static boolean isMultiRelease(PluginEntry manifest) throws IOException {
      try (InputStream in = manifest.open()) {
        String text =
            new String(in.readNBytes(MANIFEST_BYTES), StandardCharsets.UTF_8)
                .replace("\r\n", "\n")
                .replace('\r', '\n')
                .replace("\n ", ""); // a line that goes on
        int end = text.indexOf("\n\n"); // of the attributes of the jar
        return MULTI_RELEASE.matcher(end < 0 ? text : text.substring(0, end)).find();
      }
    }
  }
}
