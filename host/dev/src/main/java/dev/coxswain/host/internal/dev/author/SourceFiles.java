// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.author;

import dev.coxswain.host.internal.jvm.HostJvm;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The sources of the artifacts, in the source tree of this launcher.
 *
 * <p>Thread rule: immutable; calls block.
 *
 * @param modules the folders of the modules by artifact; none in a copy without sources
 */
record SourceFiles(Map<String, Path> modules) {

  private static final Pattern MODULE = Pattern.compile("<module>([^<]+)</module>");
  private static final Pattern ARTIFACT =
      Pattern.compile("</parent>.*?<artifactId>([^<]+)</artifactId>", Pattern.DOTALL);
  private static final List<String> FOLDERS =
      List.of("src/main/java", "target/generated-sources/annotations");

  /** Equal sources make equal bytes. */
  private static final LocalDateTime TIME = LocalDateTime.of(2026, 1, 1, 0, 0);

  SourceFiles {
    modules = Map.copyOf(modules);
  }

  /** Finds the tree, by the folder of the launcher. */
  static SourceFiles find() throws IOException {
    Path options = HostJvm.options();
    Map<String, Path> modules = new TreeMap<>();
    if (options != null) {
      Path root = options.resolve("../../..").normalize();
      Path parent = root.resolve("pom.xml");
      if (Files.isRegularFile(parent)) {
        Matcher module = MODULE.matcher(Files.readString(parent));
        while (module.find()) {
          Path pom = root.resolve(module.group(1)).resolve("pom.xml");
          if (Files.isRegularFile(pom)) {
            Matcher artifact = ARTIFACT.matcher(Files.readString(pom));
            if (artifact.find()) {
              modules.put(artifact.group(1), pom.getParent());
            }
          }
        }
      }
    }
    return new SourceFiles(modules);
  }

  /** Returns the folders with the sources of an artifact; none when they are not here. */
  List<Path> folders(String artifact) {
    Path module = modules.get(artifact);
    return module == null
        ? List.of()
        : FOLDERS.stream().map(module::resolve).filter(Files::isDirectory).toList();
  }

  /** Writes the sources of an artifact as a jar, and returns whether there are any. */
  boolean write(String artifact, Path jar) throws IOException {
    Map<String, Path> files = new TreeMap<>();
    for (Path folder : folders(artifact)) {
      try (Stream<Path> all = Files.walk(folder)) {
        for (Path file : all.filter(path -> path.toString().endsWith(".java")).toList()) {
          files.put(name(folder, file), file);
        }
      }
    }
    if (files.isEmpty()) {
      return false;
    }
    pack(files, jar);
    return true;
  }

  /** Writes all files of a folder as a jar. */
  static void pack(Path folder, Path jar) throws IOException {
    List<Path> all;
    try (Stream<Path> files = Files.walk(folder)) {
      all = new ArrayList<>(files.filter(Files::isRegularFile).toList());
    }
    Map<String, Path> files = new TreeMap<>();
    all.forEach(file -> files.put(name(folder, file), file));
    pack(files, jar);
  }

  private static void pack(Map<String, Path> files, Path jar) throws IOException {
    try (ZipOutputStream out =
        new ZipOutputStream(new BufferedOutputStream(Files.newOutputStream(jar)))) {
      for (Map.Entry<String, Path> file : files.entrySet()) {
        ZipEntry entry = new ZipEntry(file.getKey());
        entry.setTimeLocal(TIME);
        out.putNextEntry(entry);
        Files.copy(file.getValue(), out);
        out.closeEntry();
      }
    }
  }

  private static String name(Path folder, Path file) {
    return folder.relativize(file).toString().replace('\\', '/');
  }
}
