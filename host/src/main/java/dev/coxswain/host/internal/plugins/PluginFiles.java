// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.plugins;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The files of one plug-in as one look at the folder found them: a jar, or a folder with jars. Two
 * looks that are equal show that nothing is written to them.
 *
 * <p>Thread rule: immutable; {@link #look} blocks.
 *
 * @param name the name of the plug-in: that of the jar without {@code .jar}, or of the folder
 * @param jars the jars, sorted by path
 * @param problem why they are not a plug-in; empty when they are
 */
record PluginFiles(String name, List<Jar> jars, String problem) {

  /** The limit of jars of a plug-in. */
  static final int MAX_JARS = 200;

  /** The limit of entries of a folder that are looked at. */
  private static final int MAX_ENTRIES = 10_000;

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._+-]{0,127}");
  private static final String SUFFIX = ".jar";

  /** At the root of a volume; only root may read it. */
  private static final String OF_FILE_SYSTEM = "lost+found";

  /**
   * A file.
   *
   * @param size its size in bytes
   * @param modified the time of its last change
   * @param readable whether this process may read it
   */
  record Jar(Path path, long size, FileTime modified, boolean readable) {

    /** Returns whether the file is as it was found. */
    boolean isUnchanged() throws IOException {
      return jar(path).equals(List.of(this));
    }
  }

  PluginFiles {
    jars = List.copyOf(jars);
  }

  /** Returns whether all files were last changed before a time. */
  boolean isOlderThan(FileTime time) {
    return jars.stream().allMatch(jar -> jar.modified().compareTo(time) < 0);
  }

  /**
   * Returns the plug-ins of a folder by name. Other files, files whose name begins with a dot, and
   * folders without a jar are left out. A plug-in whose files cannot be read has the reason as its
   * problem, and hides no other one.
   *
   * @throws IOException when the folder cannot be read
   */
  static SortedMap<String, PluginFiles> look(Path folder) throws IOException {
    SortedMap<String, PluginFiles> found = new TreeMap<>();
    for (Path entry : entries(folder)) {
      String file = String.valueOf(entry.getFileName());
      boolean isFolder = Files.isDirectory(entry);
      String problem = "";
      List<Jar> jars = List.of();
      try {
        jars = isFolder ? jars(entry) : jar(entry);
      } catch (IOException e) {
        problem = "it cannot be read: " + PluginErrors.text(e);
      }
      if (jars.isEmpty() && problem.isEmpty()) {
        continue;
      }
      String name = isFolder ? file : file.substring(0, file.length() - SUFFIX.length());
      if (!problem.isEmpty()) {
        jars = List.of(); // it is looked at again when the problem is another one
      } else if (!NAME.matcher(name).matches()) {
        problem = "the name may have letters, digits, and . _ + - inside, at most 128; rename it";
      } else if (found.containsKey(name)) {
        problem = "there are a jar and a folder of this name; remove one of them";
      } else if (jars.size() > MAX_JARS) {
        problem = "it has more than " + MAX_JARS + " jars";
        jars = jars.subList(0, MAX_JARS);
      }
      found.put(name, new PluginFiles(name, jars, problem));
    }
    return found;
  }

  private static List<Jar> jars(Path folder) throws IOException {
    List<Jar> jars = new ArrayList<>();
    for (Path entry : entries(folder)) {
      jars.addAll(jar(entry));
    }
    return jars;
  }

  /**
   * Returns a file that is a jar by its name, and still there.
   *
   * @throws IOException when it cannot be looked at, as a symbolic link to nothing
   */
  private static List<Jar> jar(Path file) throws IOException {
    String name = String.valueOf(file.getFileName());
    if (!name.endsWith(SUFFIX) || name.startsWith(".")) {
      return List.of();
    }
    try {
      BasicFileAttributes of = Files.readAttributes(file, BasicFileAttributes.class);
      return of.isRegularFile()
          ? List.of(new Jar(file, of.size(), of.lastModifiedTime(), Files.isReadable(file)))
          : List.of();
    } catch (NoSuchFileException e) {
      if (Files.isSymbolicLink(file)) {
        throw new IOException(name + " is a symbolic link to a file that does not exist", e);
      }
      return List.of(); // removed meanwhile
    }
  }

  private static List<Path> entries(Path folder) throws IOException {
    List<Path> all = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
      for (Path entry : entries) {
        if (all.size() >= MAX_ENTRIES) {
          throw new IOException(folder + " has more than " + MAX_ENTRIES + " entries");
        }
        String name = String.valueOf(entry.getFileName());
        if (!name.startsWith(".") && !name.equals(OF_FILE_SYSTEM)) {
          all.add(entry);
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    } catch (NoSuchFileException e) {
      throw new IOException("no folder " + folder, e);
    }
    all.sort(Comparator.naturalOrder());
    return all;
  }
}
