// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.dist;

import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The C library of this machine, as far as a Java run-time image needs it: its loader and the
 * libraries that {@code ldd} finds, at their paths, because the loader searches there.
 *
 * <p>Thread rule: immutable.
 *
 * @param version the version, with that of the package, such as {@code Debian GLIBC 2.36-9+deb12u14}
 * @param files the libraries
 */
record SystemLibrary(String version, Set<Path> files) {

  private static final Pattern FOUND = Pattern.compile("(?m)(?:=> |^\\s*)(/\\S+) \\(0x");
  private static final Pattern MISSING = Pattern.compile("(?m)^\\s*(\\S+) => not found");
  private static final Pattern VERSION = Pattern.compile("^ldd \\((.+)\\) (\\S+)");

  /** Loaded by name for names of hosts; parts of libc itself since 2.34. */
  private static final List<String> BY_NAME =
      List.of("libnss_files.so.2", "libnss_dns.so.2", "libresolv.so.2");

  /**
   * Finds the libraries of a run-time image.
   *
   * @param limit how long {@code ldd} may do nothing
   */
  static SystemLibrary of(Path runtime, StallLimit limit) throws IOException, HostException {
    List<String> command = new ArrayList<>(List.of("ldd"));
    Set<String> own = new TreeSet<>();
    try (Stream<Path> files = Files.walk(runtime)) {
      for (Path file : files.sorted().toList()) {
        if (file.toString().endsWith(".so") || file.endsWith("bin/java")) {
          command.add(file.toString());
          own.add(file.getFileName().toString());
        }
      }
    }
    String output = Program.output(limit, command);
    Matcher missing = MISSING.matcher(output);
    while (missing.find()) {
      if (!own.contains(missing.group(1))) { // Java has loaded its own before they are needed
        throw new HostException(missing.group(1) + " is not installed, and Java needs it");
      }
    }
    Set<Path> libraries = new TreeSet<>();
    Matcher found = FOUND.matcher(output);
    while (found.find()) {
      Path library = Path.of(found.group(1)).normalize();
      if (!library.startsWith(runtime)) {
        libraries.add(library);
      }
    }
    for (Path library : List.copyOf(libraries)) {
      if (library.endsWith("libc.so.6")) {
        BY_NAME.stream().map(library::resolveSibling).filter(Files::exists).forEach(libraries::add);
      }
    }
    return new SystemLibrary(version(Program.output(limit, "ldd", "--version")), libraries);
  }

  private static String version(String output) {
    Matcher version = VERSION.matcher(output);
    if (!version.find()) {
      return output.lines().findFirst().orElse("");
    }
    String text = version.group(1);
    return text.contains(version.group(2)) ? text : text + " " + version.group(2);
  }

  /** Returns the libraries, their folders, and the texts of their license where it is installed. */
  List<TarEntry> entries() throws IOException {
    List<TarEntry> entries = new ArrayList<>();
    Set<Path> folders = new TreeSet<>();
    for (Path file : files) {
      for (Path folder = file.getParent();
          folder != null && folder.getNameCount() > 0;
          folder = folder.getParent()) {
        folders.add(folder);
      }
      entries.add(TarEntry.program(file.toString().substring(1), file.toRealPath()));
    }
    folders.forEach(folder -> entries.add(TarEntry.folder(folder.toString().substring(1))));
    return entries;
  }
}
