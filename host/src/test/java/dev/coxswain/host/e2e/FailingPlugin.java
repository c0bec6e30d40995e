// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Puts the failing controller where a user would put one of their own. */
final class FailingPlugin {

  private FailingPlugin() {}

  /** Returns the folder to have on the class path. */
  static Path put(Path folder) throws IOException {
    Path classes = folder.resolve("classes");
    String packageFolder = FailingController.class.getPackageName().replace('.', '/');
    Path target = Files.createDirectories(classes.resolve(packageFolder));
    try (Stream<Path> files = Files.list(Path.of("target/test-classes", packageFolder))) {
      for (Path file :
          files
              .filter(path ->
                  path.getFileName().toString().startsWith(FailingController.class.getSimpleName()))
              .toList()) {
        Files.copy(file, target.resolve(file.getFileName()));
      }
    }
    Path services = Files.createDirectories(classes.resolve("META-INF/services"));
    Files.writeString(
        services.resolve("dev.coxswain.controller.ControllerDefinition"),
        FailingController.class.getName() + "\n");
    return classes;
  }
}
