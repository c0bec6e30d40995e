// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import static java.util.Objects.requireNonNull;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;

/**
 * The folder that the distribution is written to. A file appears under its name when it is
 * complete; the checksums of all are written last.
 *
 * <p>Thread rule: one thread.
 */
public final class DistOutput {

  private static final String CHECKSUMS = "SHA256SUMS";
  private static final String UNFINISHED = ".unfinished";
  private static final int BUFFER = 1 << 16;

  private final Path folder;
  private final Map<String, String> checksums = new TreeMap<>();

  private DistOutput(Path folder) throws IOException {
    this.folder = Files.createDirectories(folder);
  }

  /** Opens a folder that is not of the distribution alone, in which {@link #finish} is not called. */
  public static DistOutput in(Path folder) throws IOException {
    return new DistOutput(folder);
  }

  /** Opens the folder of a distribution, which is not complete from now on until {@link #finish}. */
  static DistOutput begin(Path folder) throws IOException {
    DistOutput output = new DistOutput(folder);
    Files.deleteIfExists(folder.resolve(CHECKSUMS));
    return output;
  }

  /** Writes the content of a file. */
  public interface Content {
    /** Writes it to the end; the stream stays open. */
    void write(OutputStream out) throws IOException;
  }

  /** Writes a file and returns its path. */
  public Path write(String name, Content content) throws IOException {
    Path file = folder.resolve(name);
    Path unfinished = folder.resolve(name + UNFINISHED);
    MessageDigest digest = sha256();
    try (OutputStream out =
        new DigestOutputStream(
            new BufferedOutputStream(Files.newOutputStream(unfinished), BUFFER), digest)) {
      content.write(out);
    }
    Files.move(
        unfinished, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    checksums.put(name, HexFormat.of().formatHex(digest.digest()));
    return file;
  }

  /** Returns the SHA-256 of a file that was written. */
  String checksum(Path file) {
    return requireNonNull(checksums.get(String.valueOf(file.getFileName())));
  }

  /** Writes the checksums, as {@code sha256sum --check} reads them. */
  void finish() throws IOException {
    StringBuilder lines = new StringBuilder();
    checksums.forEach((name, sum) -> lines.append(sum).append("  ").append(name).append('\n'));
    Files.writeString(folder.resolve(CHECKSUMS), lines);
  }

  static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
