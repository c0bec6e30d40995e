// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/**
 * A layer of the image, as a compressed tar file on disk.
 *
 * <p>Thread rule: immutable.
 *
 * @param name what it has, for people
 * @param file the compressed file
 * @param digest the SHA-256 of the compressed file, in hexadecimal
 * @param diffId the SHA-256 of the tar file in it
 */
public record ImageLayer(String name, Path file, String digest, String diffId) {

  private static final int BUFFER = 1 << 16;

  /**
   * Writes a layer; its files have a fixed time, so that equal files are an equal layer. One that is there already, with
   * the same contents, is not compressed again: that takes longer than all else.
   */
  public static ImageLayer write(Path folder, String name, List<TarEntry> entries)
      throws IOException {
    Path file = Files.createDirectories(folder).resolve(name + ".tar.gz");
    Path known = folder.resolve(name + ".digests");
    String diffId = plain(entries);
    List<String> before = Files.exists(known) ? Files.readAllLines(known) : List.of();
    // Another version of the library may compress to other bytes.
    String key = diffId + " " + Runtime.version();
    if (before.size() == 2 && before.getFirst().equals(key) && Files.exists(file)) {
      return new ImageLayer(name, file, before.getLast(), diffId);
    }
    Files.deleteIfExists(known);
    MessageDigest compressed = DistOutput.sha256();
    try (OutputStream out =
            new DigestOutputStream(
                new BufferedOutputStream(Files.newOutputStream(file), BUFFER), compressed);
        OutputStream tar = new GZIPOutputStream(out, BUFFER)) {
      TarWriter.write(tar, entries, SourceTree.FIXED_TIME);
    }
    String digest = HexFormat.of().formatHex(compressed.digest());
    Files.write(known, List.of(key, digest));
    return new ImageLayer(name, file, digest, diffId);
  }

  private static String plain(List<TarEntry> entries) throws IOException {
    MessageDigest plain = DistOutput.sha256();
    try (OutputStream tar = new DigestOutputStream(OutputStream.nullOutputStream(), plain)) {
      TarWriter.write(tar, entries, SourceTree.FIXED_TIME);
    }
    return HexFormat.of().formatHex(plain.digest());
  }
}
