// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.maven.internal;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * A copy of Coxswain as the archive has it, with the folder of the development sessions: launcher, jars, chart. The launcher and the
 * commands find there what they find in a clone.
 *
 * <p>Thread rule: any thread; calls block.
 */
final class InstalledCopy {

  static final String HOST = "coxswain-host";
  static final String DEVELOPMENT = "coxswain-host-dev";
  private static final String LAUNCHER = "-launcher.jar";

  /** Where the jar of development sessions has the files that are not jars. */
  private static final String FILES = "dev/coxswain/host/internal/dev/copy/";

  private InstalledCopy() {}

  /**
   * Writes the copy unless it is there, made of the same files.
   *
   * @param production the jars of the host by their names, its own first, in the order of the class path
   * @param development the same of development sessions; those of the host are left out
   * @param bill the bill of materials of the host
   * @param folder where it is; nothing else may be there
   * @return the launcher
   */
  static synchronized Path write(
      Map<String, File> production, Map<String, File> development, Optional<File> bill, Path folder)
      throws IOException {
    Map<String, File> more = new LinkedHashMap<>(development);
    more.keySet().removeAll(production.keySet());
    Files.createDirectories(folder);
    try (FileChannel file =
            FileChannel.open(
                folder.resolve(".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = file.lock()) {
      Objects.requireNonNull(lock, "the lock of a blocking call");
      String contents =
          contents(production.values())
              + contents(more.values())
              + contents(bill.stream().toList());
      Path written = folder.resolve(".contents");
      if (!Files.exists(written) || !Files.readString(written).equals(contents)) {
        Files.deleteIfExists(written);
        for (String part : List.of("lib", "dev", "chart", "kustomize", "sbom.json")) {
          delete(folder.resolve(part));
        }
        jars(folder, "lib", HOST + LAUNCHER, production);
        jars(folder, "dev", DEVELOPMENT + LAUNCHER, more);
        files(folder, folder.resolve("dev/" + DEVELOPMENT + LAUNCHER));
        if (bill.isPresent()) {
          Files.copy(bill.get().toPath(), folder.resolve("sbom.json"));
        }
        Files.writeString(written, contents);
      }
    }
    return folder.resolve("bin/coxswain");
  }

  private static String contents(Collection<File> files) {
    return files.stream()
        .map(file -> "%s %s %s%n".formatted(file, file.length(), file.lastModified()))
        .collect(Collectors.joining());
  }

  /** Copies jars, the first one under the name that the launcher has for it, and writes the order of the others. */
  private static void jars(Path folder, String part, String first, Map<String, File> jars)
      throws IOException {
    Files.createDirectories(folder.resolve(part));
    List<String> order = new ArrayList<>();
    for (Map.Entry<String, File> jar : jars.entrySet()) {
      order.add(part + "/" + (order.isEmpty() ? first : jar.getKey()));
      Files.copy(
          jar.getValue().toPath(),
          folder.resolve(order.get(order.size() - 1)),
          StandardCopyOption.COPY_ATTRIBUTES);
    }
    Path classPath = folder.resolve(part.equals("lib") ? "classpath" : part + "/classpath");
    Files.writeString(classPath, String.join(":", order.subList(1, order.size())));
  }

  private static void files(Path folder, Path jar) throws IOException {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      for (ZipEntry entry : zip.stream().filter(one -> !one.isDirectory()).toList()) {
        if (entry.getName().startsWith(FILES)) {
          Path file = folder.resolve(entry.getName().substring(FILES.length())).normalize();
          if (!file.startsWith(folder)) {
            throw new IOException(jar + " has a file that leads out of the folder: " + entry);
          }
          Files.createDirectories(file.getParent());
          try (InputStream in = zip.getInputStream(entry)) {
            Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
          }
        }
      }
    }
  }

  private static void delete(Path place) throws IOException {
    if (Files.exists(place)) {
      try (Stream<Path> files = Files.walk(place)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
