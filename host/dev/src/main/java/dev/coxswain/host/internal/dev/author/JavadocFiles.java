// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.author;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/**
 * The Javadoc of the artifacts, made by the tool of this JDK in this process. What was made is kept in a
 * folder, by the checksum of the sources, so another build makes only what has changed.
 *
 * <p>Thread rule: one thread at a time, also of other processes, which is blocked for seconds for each artifact.
 */
final class JavadocFiles {

  /** Artifacts without packages that others use have no Javadoc, but Maven asks for the jar. */
  private static final String NONE = "This artifact has no packages for others.\n";

  private final SourceFiles sources;
  private final Path folder;

  JavadocFiles(SourceFiles sources, Path folder) {
    this.sources = sources;
    this.folder = folder;
  }

  /**
   * Returns the jar of an artifact if it was made from these sources.
   *
   * @param sum the checksum of the sources
   */
  Optional<Path> kept(String artifact, String sum) {
    Path jar = jar(artifact, sum);
    return Files.isRegularFile(jar) ? Optional.of(jar) : Optional.empty();
  }

  /**
   * Makes the jar of an artifact and deletes that of other sources.
   *
   * @throws IOException when the tool fails; the message has its first line
   */
  Path make(String artifact, String sum) throws IOException {
    Files.createDirectories(folder);
    try (DirectoryStream<Path> interrupted = Files.newDirectoryStream(folder, ".work-*")) {
      for (Path work : interrupted) {
        delete(work);
      }
    }
    Path work = Files.createTempDirectory(folder, ".work-");
    try {
      Path pages = Files.createDirectory(work.resolve("pages"));
      List<String> packages = packages(artifact);
      if (packages.isEmpty()) {
        Files.writeString(pages.resolve("README.txt"), NONE);
      } else {
        run(arguments(artifact, packages, pages));
      }
      Path unfinished = work.resolve("javadoc.jar");
      SourceFiles.pack(pages, unfinished);
      try (DirectoryStream<Path> former = Files.newDirectoryStream(folder, artifact + "_*")) {
        for (Path jar : former) {
          Files.delete(jar);
        }
      }
      return Files.move(unfinished, jar(artifact, sum), StandardCopyOption.ATOMIC_MOVE);
    } finally {
      delete(work);
    }
  }

  private Path jar(String artifact, String sum) {
    return folder.resolve(artifact + "_" + sum + ".jar");
  }

  private List<String> arguments(String artifact, List<String> packages, Path pages) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                // Annotations that only the compiler has; what they generate is on the class path.
                "--ignore-source-errors",
                "-quiet",
                "-notimestamp",
                "--no-fonts",
                "-nohelp",
                "-Xdoclint:none",
                "-encoding",
                "UTF-8",
                "-classpath",
                System.getProperty("java.class.path", ""),
                "-sourcepath",
                String.join(
                    File.pathSeparator,
                    sources.folders(artifact).stream().map(Path::toString).toList()),
                "-d",
                pages.toString()));
    arguments.addAll(packages);
    return arguments;
  }

  private static void run(List<String> arguments) throws IOException {
    ToolProvider tool =
        ToolProvider.findFirst("javadoc")
            .orElseThrow(() -> new IOException("this Java has no javadoc tool"));
    StringWriter errors = new StringWriter();
    PrintWriter print = new PrintWriter(errors);
    int code = tool.run(print, print, arguments.toArray(String[]::new));
    print.flush();
    if (code != 0) {
      throw new IOException(errors.toString().lines().findFirst().orElse("exit code " + code));
    }
  }

  /** Returns the packages that are promised to others. */
  private List<String> packages(String artifact) throws IOException {
    TreeSet<String> packages = new TreeSet<>();
    for (Path root : sources.folders(artifact)) {
      try (Stream<Path> files = Files.walk(root)) {
        files
            .filter(file -> file.toString().endsWith(".java"))
            .filter(file -> !file.endsWith("package-info.java"))
            .map(file ->
                root.relativize(file.getParent()).toString().replace(File.separatorChar, '.'))
            .filter(name -> !name.isEmpty() && !(name + ".").contains(".internal."))
            .forEach(packages::add);
      }
    }
    return List.copyOf(packages);
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
