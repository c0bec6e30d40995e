// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One entry of a tar file, owned by root.
 *
 * <p>Thread rule: immutable.
 */
public final class TarEntry {

  private static final int FILE = 0644;
  private static final int PROGRAM = 0755;
  private static final int LINK = 0777;
  private static final byte[] NONE = {};

  private final String name;
  private final int mode;
  private final @Nullable Path file;
  private final byte[] bytes;
  private final @Nullable String link;

  /** The content is that of a file, or bytes; an entry with a target is a symbolic link. */
  private TarEntry(
      String name, int mode, @Nullable Path file, byte[] bytes, @Nullable String link) {
    this.name = name;
    this.mode = mode;
    this.file = file;
    this.bytes = bytes;
    this.link = link;
  }

  /** Returns a folder that all may read. */
  public static TarEntry folder(String name) {
    return folder(name, PROGRAM);
  }

  static TarEntry folder(String name, int mode) {
    return new TarEntry(name + "/", mode, null, NONE, null);
  }

  static TarEntry link(String name, String target) {
    return new TarEntry(name, LINK, null, NONE, target);
  }

  /** Returns a file that can be executed, with the content of one on disk. */
  static TarEntry program(String name, Path file) {
    return new TarEntry(name, PROGRAM, file, NONE, null);
  }

  /** Returns a file that can be executed. */
  static TarEntry program(String name, String content) {
    return new TarEntry(name, PROGRAM, null, content.getBytes(StandardCharsets.UTF_8), null);
  }

  /** Returns a file with a text. */
  public static TarEntry text(String name, String content) {
    return new TarEntry(name, FILE, null, content.getBytes(StandardCharsets.UTF_8), null);
  }

  static TarEntry bytes(String name, byte[] content) {
    return new TarEntry(name, FILE, null, content, null);
  }

  /** Returns a file with the content, and the right to execute, of one on disk. */
  public static TarEntry file(String name, Path file) {
    return new TarEntry(name, Files.isExecutable(file) ? PROGRAM : FILE, file, NONE, null);
  }

  /** Returns all files, folders and links in a folder, below a path of the tar file. */
  static List<TarEntry> tree(String name, Path folder) throws IOException {
    List<TarEntry> entries = new ArrayList<>();
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.toList()) {
        String below = folder.relativize(path).toString();
        String target = below.isEmpty() ? name : name + "/" + below;
        if (Files.isSymbolicLink(path)) {
          entries.add(link(target, Files.readSymbolicLink(path).toString()));
        } else {
          entries.add(Files.isDirectory(path) ? folder(target) : file(target, path));
        }
      }
    }
    return entries;
  }

  /** Returns the path in the tar file, without a slash at its begin; a folder has one at its end. */
  public String name() {
    return name;
  }

  int mode() {
    return mode;
  }

  /** Returns the target of a symbolic link, or null. */
  @Nullable String link() {
    return link;
  }

  long size() throws IOException {
    return file == null ? bytes.length : Files.size(file);
  }

  /** Returns the content, from its begin. */
  public InputStream open() throws IOException {
    return file == null ? new ByteArrayInputStream(bytes) : Files.newInputStream(file);
  }
}
