// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.plugins;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * A copy of the entries of the jars of a plug-in in memory. The files may be replaced or removed
 * while the plug-in runs.
 *
 * <p>Thread rule: immutable; {@link #release} on one thread.
 *
 * @param entries for each path the contents of that path in each jar, in the order of the jars
 * @param digest the SHA-256 of the entries, in hexadecimal
 * @param bytes the sum of the sizes of the entries, unpacked
 * @param memory what it takes of the memory of plug-ins
 */
record PluginContents(
    Map<String, List<PluginEntry>> entries, String digest, long bytes, PluginMemory.Share memory) {

  /** The limit of the sum of the sizes of the entries of a plug-in. */
  static final long MAX_BYTES = 128L << 20;

  /** The limit of entries of a plug-in, folders among them. */
  static final int MAX_ENTRIES = 100_000;

  /** The limit of a class, which the JVM reads from one array. */
  static final long MAX_CLASS_BYTES = 8L << 20;

  /** The limit of a list of services, which Java reads as a whole. */
  static final long MAX_SERVICE_BYTES = 1L << 20;

  /**
   * Reads the jars of a plug-in; blocks.
   *
   * @param memory the memory of all plug-ins, of which the contents take a share
   * @throws PluginException when one cannot be read, or they are too large; nothing is taken then
   */
  static PluginContents read(PluginFiles files, PluginMemory memory) throws PluginException {
    if (!files.problem().isEmpty()) {
      throw new PluginException(files.problem());
    }
    PluginMemory.Share share = memory.share();
    boolean complete = false;
    try (PluginReader reader = new PluginReader(share)) {
      for (PluginFiles.Jar jar : files.jars()) {
        add(reader, jar);
      }
      PluginContents read = reader.contents();
      complete = true;
      return read;
    } finally {
      if (!complete) {
        share.release();
      }
    }
  }

  private static void add(PluginReader reader, PluginFiles.Jar jar) throws PluginException {
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

  /** Gives its memory back, when the plug-in is unloaded. */
  void release() {
    memory.release();
  }
}
