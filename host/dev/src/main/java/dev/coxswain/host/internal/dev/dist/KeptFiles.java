// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.stream.Stream;

/**
 * Files and folders in the build tree that take long to make, and that are kept as long as what
 * they were made from is the same: a file beside each has a checksum of its inputs.
 *
 * <p>Thread rule: stateless.
 */
public final class KeptFiles {

  private static final String KEY = ".key";

  private KeptFiles() {}

  /** Returns the key of inputs. */
  static String sha256(DistOutput.Content inputs) throws IOException {
    MessageDigest digest = DistOutput.sha256();
    try (OutputStream out = new DigestOutputStream(OutputStream.nullOutputStream(), digest)) {
      inputs.write(out);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Returns the key of the inputs of something that is complete, or nothing. */
  static String keyOf(Path made) throws IOException {
    Path key = key(made);
    return Files.exists(key) && Files.exists(made) ? Files.readString(key) : "";
  }

  /** Marks something as complete. */
  static void setKey(Path made, String key) throws IOException {
    Files.writeString(key(made), key);
  }

  /** Deletes a folder, when it is there. */
  public static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static Path key(Path made) {
    return made.resolveSibling(made.getFileName() + KEY);
  }
}
