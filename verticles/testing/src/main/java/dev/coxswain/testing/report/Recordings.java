// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads files to which processes append lines; a line without its end is not there yet.
 *
 * <p>Thread rule: one thread.
 */
public final class Recordings {
  private static final String SUFFIX = ".txt";

  private final Map<Path, Integer> read = new HashMap<>();

  /** Returns the file of a kind of a process, such as {@code r0-1}. */
  public static Path file(Path folder, String kind, String process) {
    return folder.resolve(kind + "-" + process + SUFFIX);
  }

  /** Returns the lines of a kind that are new since the last call, by process. */
  public Map<String, List<String>> next(Path folder, String kind) throws IOException {
    Map<String, List<String>> lines = new TreeMap<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, kind + "-*" + SUFFIX)) {
      for (Path file : files) {
        String name = file.getFileName().toString();
        lines.put(name.substring(kind.length() + 1, name.lastIndexOf('.')), next(file));
      }
    }
    return lines;
  }

  /** Returns the lines of a file that are new since the last call. */
  public List<String> next(Path file) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    int from = read.getOrDefault(file, 0);
    int end = bytes.length;
    while (end > from && bytes[end - 1] != '\n') {
      end--;
    }
    read.put(file, end);
    return new String(bytes, from, end - from, StandardCharsets.UTF_8).lines().toList();
  }
}
