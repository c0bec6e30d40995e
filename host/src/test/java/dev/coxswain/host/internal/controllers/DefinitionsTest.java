// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DefinitionsTest {

  private static final ControllerDefinition PLAIN =
      ControllerManagerFixture.definition(
          "plain",
          _ -> {
            throw new AssertionError();
          });

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

  @Test
  void aDefinition_yieldsItself_orSeveral_butNotTooMany() {
    ControllerDefinition one = new Yielding(1);
    assertThat(Definitions.yielded(new Yielding(3))).hasSize(3);
    assertThat(Definitions.yielded(one)).hasSize(1);
    assertThat(Definitions.yielded(PLAIN)).hasSize(1);
    assertThatThrownBy(() -> Definitions.yielded(new Yielding(Definitions.MAX_YIELDED + 1)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("definitions() of");
  }

  /** Yields some definitions. */
  private record Yielding(int count) implements ControllerDefinition {
    @Override
    public String name() {
      return "yielding";
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      throw new AssertionError();
    }

    @Override
    public List<ControllerDefinition> definitions() {
      return Collections.nCopies(count, this);
    }
  }
}
