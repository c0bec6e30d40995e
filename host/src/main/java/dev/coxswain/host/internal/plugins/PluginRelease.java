// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.plugins;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The entries of a multi-release jar that this JVM uses.
 *
 * <p>Thread rule: stateless.
 */
final class PluginRelease {

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
      int version = Integer.parseInt(path, VERSIONS.length(), Math.max(end, VERSIONS.length()), 10);
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
