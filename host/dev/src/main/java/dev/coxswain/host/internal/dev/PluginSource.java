// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.host.internal.dev.author.AuthorClasses;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * One plug-in of {@code --plugin}: folders of classes, folders of jars and jars, as a class path has
 * them; or one source file.
 *
 * <p>Thread rule: immutable; calls block.
 *
 * @param name the name of the plug-in: of the project, for {@code PROJECT/target/classes}
 * @param paths the folders and jars
 */
record PluginSource(String name, List<Path> paths) {

  private static final String JAR = ".jar";
  private static final String SOURCE = ".java";

  /** Where Maven and Gradle put the classes of a project. */
  private static final List<String> CLASSES =
      List.of("target/classes", "build/classes/java/main", "build/classes/kotlin/main");

  static final String SERVICES = "META-INF/services/dev.coxswain.controller.ControllerDefinition";

  PluginSource {
    paths = List.copyOf(paths);
  }

  /** The sizes and times of all files. */
  record Look(Map<Path, Mark> files) {
    boolean isEmpty() {
      return files.isEmpty();
    }
  }

  /** Size and time of a file. */
  record Mark(long size, FileTime modified) {}

  /**
   * Parses the value of the flag.
   *
   * @throws CommandException when a path is missing
   */
  static PluginSource parse(String value) {
    List<Path> paths = new ArrayList<>();
    for (String one : value.split(File.pathSeparator, -1)) {
      Path path = Path.of(one).toAbsolutePath().normalize();
      if (one.isEmpty() || !Files.exists(path)) {
        throw new CommandException(
            "flag --plugin: there is no \"%s\"; compile first, or name a folder of classes, a jar or a source file"
                .formatted(one));
      }
      for (String classes : CLASSES) {
        if (!ofClasses(path) && Files.isDirectory(path.resolve(classes))) {
          throw new CommandException(
              "flag --plugin: \"%s\" is a project, did you mean \"%s\"?"
                  .formatted(one, Path.of(one).resolve(classes)));
        }
      }
      paths.add(path);
    }
    if (paths.size() > 1 && paths.stream().anyMatch(PluginSource::isSource)) {
      throw new CommandException(
          "flag --plugin: a source file is a plug-in of its own: compile it, to join it with others");
    }
    Path first = paths.getFirst();
    Path named = first;
    for (String classes : CLASSES) {
      Path project = first.resolve("../".repeat(Path.of(classes).getNameCount())).normalize();
      if (first.endsWith(classes) && project.getFileName() != null) {
        named = project;
      }
    }
    String name =
        String.valueOf(named.getFileName())
            .replaceFirst("\\.(jar|java)$", "")
            .replaceAll("[^A-Za-z0-9._+-]", "-")
            .replaceFirst("^[^A-Za-z0-9]+", "");
    return new PluginSource(name.isEmpty() ? "plugin" : name, AuthorClasses.withResources(paths));
  }

  /** Returns whether a path names controllers or has jars, so that it is what it looks like. */
  private static boolean ofClasses(Path path) {
    return !Files.isDirectory(path) || Files.exists(path.resolve(SERVICES));
  }

  private static boolean isSource(Path path) {
    return path.toString().endsWith(SOURCE) && Files.isRegularFile(path);
  }

  /**
   * Returns this plug-in, or what its source file is compiled to.
   *
   * @param work a folder for classes, of this session
   */
  PluginSource compiled(Path work) throws IOException, HostException {
    if (!isSource(paths.getFirst())) {
      return this;
    }
    Path classes = work.resolve(name);
    FileCompiler.compile(paths.getFirst(), classes);
    return new PluginSource(name, List.of(classes));
  }

  String describe() {
    return paths.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }

  Look look() throws IOException {
    Map<Path, Mark> files = new TreeMap<>();
    for (Path path : paths) {
      for (Path file : files(path)) {
        try {
          BasicFileAttributes of = Files.readAttributes(file, BasicFileAttributes.class);
          files.put(file, new Mark(of.size(), of.lastModifiedTime()));
        } catch (NoSuchFileException e) {
          // removed meanwhile: the next look shows it
        }
      }
    }
    return new Look(files);
  }

  /**
   * Returns a class that is named as a controller and is not there, as while a compiler runs: Maven deletes
   * the former classes first. Empty where jars may have it.
   */
  Optional<String> missingController() throws IOException {
    if (!paths.stream().allMatch(PluginSource::hasClasses)) {
      return Optional.empty();
    }
    for (Path path : paths) {
      Path services = path.resolve(SERVICES);
      if (!Files.exists(services)) {
        continue;
      }
      for (String line : Files.readAllLines(services)) {
        String name = line.replaceFirst("#.*", "").strip();
        String file = name.replace('.', '/') + ".class";
        if (!name.isEmpty() && paths.stream().noneMatch(of -> Files.exists(of.resolve(file)))) {
          return Optional.of(name);
        }
      }
    }
    return Optional.empty();
  }

  private static boolean hasClasses(Path path) {
    try {
      return Files.isDirectory(path) && jars(path).isEmpty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the manifests in the folders of classes, types first. */
  List<Manifests.Manifest> manifests() throws IOException {
    List<Manifests.Manifest> found = new ArrayList<>();
    for (Path path : paths) {
      found.addAll(Manifests.below(path));
    }
    return Manifests.inOrder(found);
  }

  /** Writes the jars of the plug-in into a folder, each at once, and removes those that are not of it. */
  void copyTo(Path folder) throws IOException {
    Files.createDirectories(folder);
    Set<Path> kept = new HashSet<>();
    for (int i = 0; i < paths.size(); i++) {
      Path path = paths.get(i);
      List<Path> jars = jars(path);
      if (!jars.isEmpty()) {
        for (Path jar : jars) {
          Path to = folder.resolve(i + "-" + jar.getFileName());
          Path temporary = folder.resolve(".copy");
          Files.copy(jar, temporary, StandardCopyOption.REPLACE_EXISTING);
          replace(temporary, to);
          kept.add(to);
        }
      } else {
        Path to = folder.resolve(i + "-classes.jar");
        Path temporary = folder.resolve(".copy");
        pack(path, temporary);
        replace(temporary, to);
        kept.add(to);
      }
    }
    for (Path other : list(folder)) {
      if (!kept.contains(other)) {
        Files.delete(other);
      }
    }
  }

  private static void replace(Path temporary, Path to) throws IOException {
    if (Files.exists(to) && Files.mismatch(temporary, to) < 0) {
      Files.delete(temporary);
    } else {
      Files.move(temporary, to, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  /** Equal classes make equal bytes, so that a compiler run without a change reloads nothing. */
  private static void pack(Path classes, Path jar) throws IOException {
    try (ZipOutputStream out =
        new ZipOutputStream(new BufferedOutputStream(Files.newOutputStream(jar)))) {
      out.setLevel(0);
      for (Path file : files(classes)) {
        ZipEntry entry =
            new ZipEntry(classes.relativize(file).toString().replace(File.separatorChar, '/'));
        entry.setTime(0);
        out.putNextEntry(entry);
        Files.copy(file, out);
        out.closeEntry();
      }
    }
  }

  private static List<Path> jars(Path path) throws IOException {
    return Files.isDirectory(path)
        ? list(path).stream().filter(file -> file.toString().endsWith(JAR)).toList()
        : List.of(path);
  }

  private static List<Path> list(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  private static List<Path> files(Path path) throws IOException {
    if (!Files.exists(path)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(path)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    } catch (UncheckedIOException e) {
      throw e.getCause(); // the stream wraps exceptions of the walk
    }
  }
}
