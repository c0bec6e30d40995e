// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.archetype.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProjectTemplateTest {

  private static final Path TEMPLATE =
      Path.of(System.getProperty("basedir", "."), "..", "..", "examples", "plugin");

  /** The project of the template has both, and so all files of both. */
  @Test
  void withTheNamesOfTheTemplate_aProjectIsTheTemplate_fileByFile() throws IOException {
    ProjectTemplate project = ProjectTemplate.of("greeter", "hello", false, false);
    ApiTemplate gizmo = ApiTemplate.of("Gizmo", "greeter", "hello", false);
    Map<String, String> made = new TreeMap<>(project.files(List.of(gizmo), true));
    made.putAll(project.files());
    made.merge(
        ProjectTemplate.SERVICES,
        gizmo.controller() + "\n" + gizmo.webhook() + "\n",
        String::concat);
    Map<String, String> expected = files(TEMPLATE);
    expected.put(".gitignore", expected.remove("gitignore"));
    assertThat(made).containsExactlyInAnyOrderEntriesOf(expected);
  }

  @Test
  void aProjectInKotlin_hasThoseSources_andItsOwnPom() throws IOException {
    ProjectTemplate project = ProjectTemplate.of("greeter", "hello", true, false);
    Map<String, String> made =
        new TreeMap<>(
            project.files(List.of(ApiTemplate.of("Gizmo", "greeter", "hello", true)), true));
    made.putAll(project.files());
    Map<String, String> sources = files(TEMPLATE.resolveSibling("plugin-kotlin"));
    assertThat(made).containsAllEntriesOf(sources);
    Map<String, String> others = files(TEMPLATE);
    others.put(".gitignore", others.remove("gitignore"));
    others.keySet().removeIf(name -> name.endsWith(".java"));
    others.keySet().forEach(name -> assertThat(made).containsKey(name));
    assertThat(made).hasSize(sources.size() + others.size());
    assertThat(made.get("pom.xml"))
        .contains(
            "<sourceDirectory>src/main/kotlin<",
            "<artifactId>kotlin-maven-plugin<",
            "<finalName>greeter<");
  }

  @Test
  void aProjectOfGradle_hasItsFiles_andTheSourcesOfTheOther() throws IOException {
    Map<String, String> made =
        new TreeMap<>(ProjectTemplate.of("greeter", "hello", false, true).files());
    Map<String, String> gradle = files(TEMPLATE.resolveSibling("plugin-gradle"));
    gradle.put(".gitignore", gradle.remove("gitignore"));
    assertThat(gradle)
        .containsOnlyKeys("README.md", "build.gradle", "settings.gradle", ".gitignore");
    assertThat(made).containsAllEntriesOf(gradle);
    made.keySet().removeAll(gradle.keySet());
    Map<String, String> others =
        new TreeMap<>(ProjectTemplate.of("greeter", "hello", false, false).files());
    others.keySet().removeAll(List.of("README.md", "pom.xml", ".gitignore"));
    assertThat(made).isEqualTo(others);
    assertThatThrownBy(() -> ProjectTemplate.of("greeter", "hello", true, true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("built by Maven");
  }

  @ParameterizedTest
  @CsvSource({"false, false", "true, false", "false, true"})
  void noNameOfTheTemplate_isLeft(boolean kotlin, boolean gradle) {
    ProjectTemplate project = ProjectTemplate.of("night-watch", "org.example", kotlin, gradle);
    assertThat(project.className()).isEqualTo("NightWatch");
    assertNoNameOfTheTemplate(project.files());
  }

  @Test
  void aNameThatNoProjectCanHave_isRefused() {
    assertThatThrownBy(() -> ProjectTemplate.of("Night", "org.example", false, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("\"Night\" cannot be the name of a controller");
    assertThatThrownBy(() -> ProjectTemplate.of("night", "org.class", false, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("\"org.class\" is no name of a package");
    assertThatThrownBy(() -> ProjectTemplate.of("kubernetes", "org.example", false, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("would be Kubernetes");
    assertThat(ProjectTemplate.of("night", "org.in", false, false).javaPackage())
        .isEqualTo("org.in");
    assertThatThrownBy(() -> ProjectTemplate.of("night", "org.in", true, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("\"org.in\" is no name of a package");
  }

  private static Map<String, String> files(Path root) throws IOException {
    Map<String, String> texts = new TreeMap<>();
    try (Stream<Path> all = Files.walk(root)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        String name = root.relativize(file).toString();
        if (!name.startsWith("target") && !name.startsWith(".mvn")) {
          texts.put(name, Files.readString(file));
        }
      }
    }
    return texts;
  }

  static void assertNoNameOfTheTemplate(Map<String, String> files) {
    files.forEach((name, text) ->
        assertThat(name + text)
            .as(name)
            .doesNotContainIgnoringCase("greeter")
            .doesNotContain("package hello", "/hello/", "<groupId>hello", "'hello'"));
  }
}
