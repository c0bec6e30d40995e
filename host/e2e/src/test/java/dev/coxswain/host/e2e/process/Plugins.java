// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Puts controllers of these tests where a user would put some of their own. */
public final class Plugins {

  private Plugins() {}

  /**
   * Returns a folder for the class path with a class, those inside it, and the definitions by name.
   */
  public static Path folder(Path parent, Class<?> type, List<String> definitions)
      throws IOException {
    Path classes = parent.resolve("classes");
    add(classes, type);
    Path services = Files.createDirectories(classes.resolve("META-INF/services"));
    Files.write(services.resolve("dev.coxswain.controller.ControllerDefinition"), definitions);
    return classes;
  }

  /** Puts another class into such a folder, and those inside it. */
  public static void add(Path classes, Class<?> type) throws IOException {
    String packageFolder = type.getPackageName().replace('.', '/');
    Path target = Files.createDirectories(classes.resolve(packageFolder));
    try (Stream<Path> files = Files.list(Path.of("target/test-classes", packageFolder))) {
      for (Path file :
          files
              .filter(path -> path.getFileName().toString().startsWith(type.getSimpleName()))
              .toList()) {
        Files.copy(file, target.resolve(file.getFileName()));
      }
    }
  }
}
