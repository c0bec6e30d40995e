// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev;

import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The types and sample objects of examples: {@code coxswain/dev/NAME/*.yaml} in the class path.
 * Files whose name begins with {@code crd} come first.
 */
final class Manifests {

  /** Where the files of an example are, in the class path. */
  static final String FOLDER = "coxswain/dev";

  private Manifests() {}

  /**
   * One file.
   *
   * @param example its folder
   * @param file its name
   * @param yaml its text
   */
  record Manifest(String example, String file, String yaml) {
    boolean isType() {
      return file.startsWith("crd");
    }
  }

  /** Returns whether an entry of the class path is a jar that only development sessions have. */
  static boolean ofDevelopment(Path entry) {
    try {
      Path own =
          Path.of(Manifests.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      Path parent = entry.toAbsolutePath().normalize().getParent();
      return Files.isRegularFile(own) && parent != null && parent.equals(own.getParent());
    } catch (URISyntaxException e) {
      throw new IllegalStateException("the address of a class path entry is always one", e);
    }
  }

  /** Returns whether the class path has controllers of the user, besides the examples. */
  static boolean haveOwnControllers() {
    try {
      String definitions = "META-INF/services/" + ControllerDefinition.class.getName();
      for (URL url : Collections.list(Manifests.class.getClassLoader().getResources(definitions))) {
        if (!(url.openConnection() instanceof JarURLConnection jar)
            || !ofDevelopment(Path.of(jar.getJarFileURL().toURI()))) {
          return true;
        }
      }
      return false;
    } catch (IOException | URISyntaxException e) {
      throw new IllegalStateException("the class path cannot be read", e);
    }
  }

  /**
   * Returns the files of the class path, in the order to apply them.
   *
   * @param examples whether those of the example controllers are among them
   */
  static List<Manifest> onClassPath(boolean examples) throws IOException {
    List<Manifest> result = new ArrayList<>();
    for (URL url : Collections.list(Manifests.class.getClassLoader().getResources(FOLDER))) {
      try {
        URI uri = url.toURI();
        if ("jar".equals(uri.getScheme())) {
          String jar = uri.toString().substring(0, uri.toString().indexOf('!'));
          if (!examples && ofDevelopment(Path.of(URI.create(jar.replaceFirst("^jar:", ""))))) {
            continue;
          }
          try (FileSystem inside = FileSystems.newFileSystem(URI.create(jar), Map.of())) {
            read(inside.getPath(FOLDER), result);
          }
        } else {
          read(Path.of(uri), result);
        }
      } catch (URISyntaxException e) {
        throw new IOException("invalid address in the class path: " + url, e);
      }
    }
    return inOrder(result);
  }

  /** Returns files in the order to apply them: types first. */
  static List<Manifest> inOrder(List<Manifest> files) {
    return files.stream()
        .sorted(
            Comparator.comparing(Manifest::isType)
                .reversed()
                .thenComparing(Manifest::example)
                .thenComparing(Manifest::file))
        .toList();
  }

  /** Returns the files of a folder of classes; none when it is no folder or has none. */
  static List<Manifest> below(Path classes) throws IOException {
    List<Manifest> result = new ArrayList<>();
    Path folder = classes.resolve(FOLDER);
    if (Files.isDirectory(folder)) {
      read(folder, result);
    }
    return result;
  }

  /**
   * Applies the files of the class path, and returns their examples.
   *
   * @param examples whether to apply those of the example controllers, too
   * @param more folders with further files
   */
  static List<String> install(DevApiServer api, boolean examples, List<Path> more)
      throws IOException, HostException {
    List<Manifest> manifests = new ArrayList<>(onClassPath(examples));
    for (Path folder : more) {
      manifests.addAll(inOrder(below(folder)));
    }
    for (Manifest manifest : manifests) {
      api.apply(manifest.example() + "/" + manifest.file(), manifest.yaml());
    }
    return manifests.stream().map(Manifest::example).distinct().sorted().toList();
  }

  private static void read(Path folder, List<Manifest> into) throws IOException {
    try (Stream<Path> files = Files.walk(folder, 2)) {
      for (Path file : files.filter(path -> path.toString().endsWith(".yaml")).toList()) {
        Path example = folder.relativize(file).getName(0);
        into.add(
            new Manifest(
                example.toString(), String.valueOf(file.getFileName()), Files.readString(file)));
      }
    } catch (UncheckedIOException e) {
      throw e.getCause(); // the stream wraps exceptions of the walk
    }
  }
}
