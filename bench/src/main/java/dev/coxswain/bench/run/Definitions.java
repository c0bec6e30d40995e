// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.run;

import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.testing.process.DevCluster;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Definitions of this module for a host, which has only those that a benchmark names. */
public final class Definitions {
  private Definitions() {}

  /**
   * Returns the class path of a host with some definitions.
   *
   * @param folder of the run; a folder with the service file is made in it
   */
  public static String classPath(Path folder, Class<?>... some) throws IOException {
    Path services = folder.resolve("services");
    Path file = services.resolve("META-INF/services").resolve(ControllerDefinition.class.getName());
    Files.createDirectories(file.getParent());
    Files.writeString(
        file, Arrays.stream(some).map(Class::getName).collect(Collectors.joining("\n")));
    return DevCluster.jarOf(Definitions.class) + File.pathSeparator + services;
  }
}
