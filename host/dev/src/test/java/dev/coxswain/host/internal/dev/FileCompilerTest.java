// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A plug-in of one source file. */
class FileCompilerTest {

  private static final String CONTROLLER =
      """
      public %s class %s implements dev.coxswain.controller.ControllerDefinition {
        public String name() { return "small"; }
        public dev.coxswain.controller.Controller<?> create(
            dev.coxswain.controller.ControllerEnvironment environment) {
          return dev.coxswain.controller.Controller.named(name())
              .reconciles((request, context) -> dev.coxswain.reconcile.Result.done());
        }
      }
      """;

  private static final String RESOURCE =
      """
      package fleet;

      public class Fleet {
        @dev.coxswain.k8s.resource.KubernetesResource(
            group = "fleet.example.com", version = "v1", plural = "ships")
        public static class Ship extends dev.coxswain.k8s.resource.CustomObject {}

      """;

  @TempDir private Path folder;

  private Path source(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private Path compiled(Path source) throws Exception {
    Path classes = folder.resolve("classes");
    FileCompiler.compile(source, classes);
    return classes;
  }

  @Test
  void theControllersOfAFile_areNamed_andItsCustomResourcesHaveDefinitions() throws Exception {
    Path file =
        source("Fleet.java", RESOURCE + CONTROLLER.formatted("static", "First").indent(2) + "}\n");
    Path classes = compiled(file);
    assertThat(classes.resolve(PluginSource.SERVICES)).hasContent("fleet.Fleet$First");
    assertThat(Manifests.below(classes))
        .singleElement()
        .satisfies(one -> {
          assertThat(one.isType()).isTrue();
          assertThat(one.yaml()).contains("name: ships.fleet.example.com");
        });
  }

  @Test
  void whatTheFormerFileHad_isGone() throws Exception {
    compiled(source("First.java", CONTROLLER.formatted("", "First")));
    Path classes = compiled(source("Second.java", CONTROLLER.formatted("", "Second")));
    assertThat(classes.resolve(PluginSource.SERVICES)).hasContent("Second");
    assertThat(classes.resolve("First.class")).doesNotExist();
  }

  @Test
  void errorsOfTheCompiler_haveTheirLines_andAreFew() throws Exception {
    Path file = source("Bad.java", "public class Bad {\n  int a = b;\n}\n");
    assertThatThrownBy(() -> compiled(file))
        .isInstanceOf(HostException.class)
        .hasMessageStartingWith("Bad.java:2: cannot find symbol");
    Path many = source("Many.java", "class Many {\n" + "  int a%d = b;\n".repeat(9) + "}\n");
    assertThatThrownBy(() -> compiled(many)).hasMessageContaining("more errors");
  }

  /** An executable file begins with a line for the shell, which the compiler of the JDK refuses. */
  @Test
  void aFirstLineForTheShell_isLeftOut_andTheLinesOfErrorsStay() throws Exception {
    String shell = "#!/usr/bin/env -S coxswain run\n";
    Path classes = compiled(source("Shell.java", shell + CONTROLLER.formatted("", "Shell")));
    assertThat(classes.resolve(PluginSource.SERVICES)).hasContent("Shell");
    Path bad = source("Bad.java", shell + "public class Bad {\n  int a = b;\n}\n");
    assertThatThrownBy(() -> compiled(bad)).hasMessageStartingWith("Bad.java:3: ");
  }

  @Test
  void aFileThatIsNotUtf8_isNamed() throws Exception {
    Path file = Files.write(folder.resolve("Latin.java"), new byte[] {'/', '/', (byte) 0xe4});
    assertThatThrownBy(() -> compiled(file))
        .isInstanceOf(HostException.class)
        .hasMessage("Latin.java is not UTF-8 text");
  }

  @Test
  void withoutAController_theMessageSaysWhatOneIs() throws Exception {
    for (String text :
        new String[] {
          "public class A {}",
          CONTROLLER.formatted("abstract", "A"),
          CONTROLLER.formatted("", "A").replace("public  class", "class"),
          CONTROLLER.formatted("", "A").replaceFirst("\\{", "{ public A(int a) {}")
        }) {
      Path file = source("A.java", text);
      assertThatThrownBy(() -> compiled(file))
          .as(text)
          .hasMessageContaining(
              "A.java has no controller: a public class that extends SimpleController");
    }
  }

  @Test
  void aSourceFile_isAPluginOfItsName_alone() throws Exception {
    Path file = source("Small.java", CONTROLLER.formatted("", "Small"));
    PluginSource plugin = PluginSource.parse(file.toString());
    assertThat(plugin.name()).isEqualTo("Small");
    assertThat(plugin.compiled(folder.resolve("work")).paths())
        .containsExactly(folder.resolve("work/Small"));
    assertThat(plugin.look().files()).containsOnlyKeys(file);
    assertThatThrownBy(() -> PluginSource.parse(file + File.pathSeparator + folder))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("a source file is a plug-in of its own");
  }
}
