// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.plugins;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarInputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipFile;

/**
 * A copy of the entries of the jars of a plug-in in memory. The files may be replaced or removed
 * while the plug-in runs.
 *
 * <p>Thread rule: immutable.
 *
 * @param entries for each path the contents of that path in each jar, in the order of the jars
 * @param digest the SHA-256 of the entries, in hexadecimal
 * @param bytes the sum of the sizes of the entries
 */
record PluginContents(Map<String, List<byte[]>> entries, String digest, long bytes) {

  /** The limit of the sum of the sizes of the entries of a plug-in. */
  static final long MAX_BYTES = 128L << 20;

  /** The limit of entries of a plug-in. */
  static final int MAX_ENTRIES = 100_000;

  private static final String VERSIONS = "META-INF/versions/";

  /**
   * Reads the jars of a plug-in; blocks.
   *
   * @throws PluginException when one cannot be read, or they are too large
   */
  static PluginContents read(PluginFiles files) throws PluginException {
    if (!files.problem().isEmpty()) {
      throw new PluginException(files.problem());
    }
    Reader reader = new Reader();
    for (PluginFiles.Jar jar : files.jars()) {
      try {
        reader.add(jar);
      } catch (IOException | IllegalArgumentException | SecurityException e) {
        // An IllegalArgumentException: the name of an entry cannot be decoded.
        throw new PluginException(
            "%s cannot be read as a jar: %s"
                .formatted(jar.path().getFileName(), PluginErrors.text(e)),
            e);
      }
    }
    return reader.contents();
  }

  private static final class Reader {
    private final Map<String, List<byte[]>> all = new HashMap<>();
    private final MessageDigest digest;
    private long bytes;
    private int count;

    Reader() {
      try {
        digest = MessageDigest.getInstance("SHA-256");
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every Java platform has SHA-256", e);
      }
    }

    void add(PluginFiles.Jar jar) throws IOException, PluginException {
      Map<String, byte[]> own = new LinkedHashMap<>();
      Map<String, Integer> versions = new HashMap<>();
      int found = 0;
      try (InputStream file = Files.newInputStream(jar.path());
          JarInputStream in = new JarInputStream(file, false)) {
        Manifest manifest = in.getManifest();
        boolean versioned =
            manifest != null
                && "true".equalsIgnoreCase(manifest.getMainAttributes().getValue("Multi-Release"));
        found += manifest == null ? 0 : 1;
        for (JarEntry entry = in.getNextJarEntry(); entry != null; entry = in.getNextJarEntry()) {
          found++;
          if (!entry.isDirectory()) {
            add(own, versions, versioned, entry.getName(), read(in, entry.getName()));
          }
        }
      }
      if (found == 0) {
        throw new IOException("it has no entries"); // not a zip file, or cut off in the first entry
      }
      try (ZipFile zip = new ZipFile(jar.path().toFile())) {
        zip.size(); // a stream ends without a fault where a file is cut off between two entries
      }
      own.forEach(
          (path, content) -> all.computeIfAbsent(path, _ -> new ArrayList<>(1)).add(content));
    }

    private byte[] read(InputStream in, String path) throws IOException, PluginException {
      byte[] content = in.readNBytes((int) Math.min(Integer.MAX_VALUE - 8, MAX_BYTES - bytes + 1));
      bytes += content.length;
      if (bytes > MAX_BYTES || ++count > MAX_ENTRIES) {
        throw new PluginException(
            "it is larger than %d MiB, or has more than %d entries, unpacked"
                .formatted(MAX_BYTES >> 20, MAX_ENTRIES));
      }
      digest.update(path.getBytes(java.nio.charset.StandardCharsets.UTF_8));
      digest.update((byte) 0);
      digest.update(content);
      return content;
    }

    /** Adds an entry; of a multi-release jar the one of the highest version that this JVM uses. */
    private static void add(
        Map<String, byte[]> own,
        Map<String, Integer> versions,
        boolean versioned,
        String path,
        byte[] content) {
      String target = path;
      int version = 0;
      if (versioned && path.startsWith(VERSIONS)) {
        int end = path.indexOf('/', VERSIONS.length());
        try {
          version = Integer.parseInt(path, VERSIONS.length(), Math.max(end, VERSIONS.length()), 10);
        } catch (NumberFormatException e) {
          return; // such an entry is never used
        }
        target = path.substring(end + 1);
      }
      if (version <= Runtime.version().feature() && version >= versions.getOrDefault(target, 0)) {
        versions.put(target, version);
        own.put(target, content);
      }
    }

    PluginContents contents() {
      Map<String, List<byte[]>> copy = new HashMap<>();
      all.forEach((path, each) -> copy.put(path, List.copyOf(each)));
      return new PluginContents(Map.copyOf(copy), HexFormat.of().formatHex(digest.digest()), bytes);
    }
  }
}
