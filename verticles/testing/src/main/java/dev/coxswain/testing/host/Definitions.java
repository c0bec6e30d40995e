// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.host;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Definitions of controllers for a host, which has only those that are named. */
public final class Definitions {
  private static final String SERVICE =
      "META-INF/services/dev.coxswain.controller.ControllerDefinition";

  private Definitions() {}

  /**
   * Returns the class path of a host with some definitions, which are in one jar, and these fixtures.
   *
   * @param folder of the run; a folder with the service file is made in it
   */
  public static String classPath(Path folder, Class<?>... some) throws IOException {
    Path services = folder.resolve("services");
    Path file = services.resolve(SERVICE);
    Files.createDirectories(file.getParent());
    Files.writeString(
        file, Arrays.stream(some).map(Class::getName).collect(Collectors.joining("\n")));
    return String.join(
        File.pathSeparator,
        DevCluster.jarOf(some[0]).toString(),
        DevCluster.jarOf(Definitions.class).toString(),
        services.toString());
  }
}
