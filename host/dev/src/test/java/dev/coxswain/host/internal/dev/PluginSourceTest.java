// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.ctl.internal.cli.CommandException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PluginSourceTest {

  @TempDir private Path folder;
  private Path classes;
  private Path copy;

  @BeforeEach
  void write() throws IOException {
    classes = folder.resolve("order sync/target/classes");
    copy = folder.resolve("copy");
    file("a/First.class", "1");
    file("META-INF/services/some", "a.First");
  }

  @Test
  void thePluginOfAMavenProject_hasTheNameOfTheProject_othersThatOfTheFile() throws IOException {
    Path jar = Files.createFile(folder.resolve("extra.jar"));
    assertThat(PluginSource.parse(classes.toString()).name()).isEqualTo("order-sync");
    assertThat(PluginSource.parse(jar.toString()).name()).isEqualTo("extra");
    PluginSource both = PluginSource.parse(classes + File.pathSeparator + jar);
    assertThat(both.name()).isEqualTo("order-sync");
    assertThat(both.paths()).containsExactly(classes, jar);
    assertThatThrownBy(() -> PluginSource.parse(folder.resolve("none").toString()))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("compile first");
    assertThatThrownBy(() -> PluginSource.parse(folder.resolve("order sync").toString()))
        .isInstanceOf(CommandException.class)
        .hasMessageContaining("is a project, did you mean \"" + classes + "\"?");
  }

  /** Gradle has classes and resources in two folders: without the second one no controller is named. */
  @Test
  void theClassesOfAGradleProject_bringItsResources_andHaveItsName() throws IOException {
    Path gradle = Files.createDirectories(folder.resolve("order sync/build/classes/java/main"));
    assertThat(PluginSource.parse(gradle.toString()).paths()).containsExactly(gradle);
    Path resources = Files.createDirectories(folder.resolve("order sync/build/resources/main"));
    PluginSource source = PluginSource.parse(gradle.toString());
    assertThat(source.paths()).containsExactly(gradle, resources);
    assertThat(source.name()).isEqualTo("order-sync");
    assertThat(PluginSource.parse(gradle + File.pathSeparator + resources).paths())
        .containsExactly(gradle, resources);
  }

  @Test
  void classes_areOneJar_andItsTimeChangesOnlyWithThem() throws IOException {
    PluginSource source = PluginSource.parse(classes.toString());
    source.copyTo(copy);
    Path jar = copy.resolve("0-classes.jar");
    try (JarFile made = new JarFile(jar.toFile())) {
      assertThat(made.stream().map(Object::toString))
          .containsExactlyInAnyOrder("META-INF/services/some", "a/First.class");
    }
    FileTime old = FileTime.fromMillis(1_000_000);
    Files.setLastModifiedTime(jar, old);

    PluginSource.Look before = source.look();
    Files.setLastModifiedTime(classes.resolve("a/First.class"), old);
    assertThat(source.look()).as("a compiler has written the same").isNotEqualTo(before);
    source.copyTo(copy);
    assertThat(Files.getLastModifiedTime(jar)).isEqualTo(old);

    file("a/First.class", "2");
    source.copyTo(copy);
    assertThat(Files.getLastModifiedTime(jar)).isNotEqualTo(old);
  }

  @Test
  void aControllerWithoutItsClass_isMissing_untilTheCompilerHasWrittenIt() throws IOException {
    PluginSource source = PluginSource.parse(classes.toString());
    assertThat(source.missingController()).isEmpty();
    file(
        "META-INF/services/dev.coxswain.controller.ControllerDefinition",
        "# controllers\na.First # the first\n\na.Outer$Second\n");
    assertThat(source.missingController()).contains("a.Outer$Second");
    file("a/Outer$Second.class", "2");
    assertThat(source.missingController()).isEmpty();
    Files.delete(classes.resolve("a/First.class"));
    assertThat(source.missingController()).contains("a.First");
  }

  @Test
  void aControllerThatAJarMayHave_isNotMissing() throws IOException {
    file("META-INF/services/dev.coxswain.controller.ControllerDefinition", "a.Elsewhere\n");
    Path jar = Files.createFile(folder.resolve("extra.jar"));
    assertThat(PluginSource.parse(classes + File.pathSeparator + jar).missingController())
        .isEmpty();
  }

  @Test
  void jarsOfAFolder_areCopied_andThoseThatAreGone_areRemoved() throws IOException {
    Path lib = Files.createDirectory(folder.resolve("lib"));
    Files.writeString(lib.resolve("one.jar"), "1");
    Files.writeString(lib.resolve("two.jar"), "2");
    PluginSource source = PluginSource.parse(classes + File.pathSeparator + lib);
    source.copyTo(copy);
    assertThat(names()).containsExactly("0-classes.jar", "1-one.jar", "1-two.jar");
    Files.delete(lib.resolve("two.jar"));
    source.copyTo(copy);
    assertThat(names()).containsExactly("0-classes.jar", "1-one.jar");
  }

  @Test
  void aFolderThatACleanBuildHasDeleted_isEmpty_andNoFailure() throws IOException {
    PluginSource source = PluginSource.parse(classes.toString());
    Files.move(classes, folder.resolve("gone"));
    assertThat(source.look().isEmpty()).isTrue();
    assertThat(source.manifests()).isEmpty();
  }

  @Test
  void manifests_areFound_typesFirst() throws IOException {
    file("coxswain/dev/a/samples.yaml", "s");
    file("coxswain/dev/b/crd-x.yaml", "t");
    assertThat(PluginSource.parse(classes.toString()).manifests())
        .extracting(Manifests.Manifest::file)
        .containsExactly("crd-x.yaml", "samples.yaml");
  }

  private void file(String name, String text) throws IOException {
    Path file = classes.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(copy)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }
}
