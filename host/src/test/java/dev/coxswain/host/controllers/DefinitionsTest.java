// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.ControllerDefinition;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DefinitionsTest {

  @TempDir private Path folder;

  /** A jar whose own dependency was missing ended the host with a stack trace, the others too. */
  @Test
  void aClassThatCannotBeLinked_isLeftOut_andTheOthersAreFound() throws Exception {
    int before = Definitions.onClassPath().size();
    Path services = Files.createDirectories(folder.resolve("META-INF/services"));
    Files.writeString(
        services.resolve(ControllerDefinition.class.getName()), "Unlinkable\nNotThere\n");
    Files.writeString(folder.resolve("Unlinkable.class"), "no class file");
    Thread thread = Thread.currentThread();
    ClassLoader mine = thread.getContextClassLoader();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()}, mine)) {
      thread.setContextClassLoader(loader);
      assertThat(Definitions.onClassPath()).hasSize(before);
    } finally {
      thread.setContextClassLoader(mine);
    }
  }
}
