// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProjectJarsTest {

  private static final String SERVICES =
      "META-INF/services/dev.coxswain.controller.ControllerDefinition";
  private static final String POM = "META-INF/maven/com.example/%s/pom.properties";

  @TempDir private Path folder;

  private Path jar(String path, Map<String, String> files) throws IOException {
    Path jar = folder.resolve(path);
    Files.createDirectories(jar.getParent());
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
      for (Map.Entry<String, String> file : files.entrySet()) {
        out.putNextEntry(new JarEntry(file.getKey()));
        out.write(file.getValue().getBytes(StandardCharsets.UTF_8));
      }
    }
    return jar;
  }

  private static String pom(String name) {
    return POM.formatted(name);
  }

  private Path shop() throws IOException {
    return jar(
        "shop.jar", Map.of(SERVICES, "shop.A", pom("shop"), "artifactId=shop\nversion=1.2.3\n"));
  }

  private static ProjectJars of(Path jar, String... flags) throws HostException {
    List<String> all = new ArrayList<>(List.of("--jar", jar.toString()));
    all.addAll(List.of(flags));
    return ProjectJars.of(Arguments.parse(all, ProjectJars.FLAGS));
  }

  @Test
  void nameAndVersion_areThoseOfMaven_unlessGiven() throws Exception {
    ProjectJars byMaven = of(shop());
    assertThat(byMaven.name() + ":" + byMaven.version()).isEqualTo("shop:1.2.3");
    ProjectJars given = of(shop(), "--name", "localhost:5000/team/orders", "--version", "2");
    assertThat(given.name() + ":" + given.version()).isEqualTo("localhost:5000/team/orders:2");
    assertThat(given.shortName()).isEqualTo("orders");
  }

  @Test
  void theNameIsThatOfTheJarWithControllers_andItsLibrariesComeAlong() throws Exception {
    jar("all/a.jar", Map.of(pom("a"), "artifactId=a\nversion=7\n"));
    jar("all/b.jar", Map.of(SERVICES, "b.B", pom("b"), "artifactId=b\nversion=1\n"));
    ProjectJars project = of(folder.resolve("all"));
    assertThat(project.name()).isEqualTo("b");
    assertThat(project.jars().stream().map(jar -> jar.getFileName().toString()))
        .containsExactly("a.jar", "b.jar");
  }

  /** Gradle puts libraries into a jar with what Maven has written about them. */
  @Test
  void nameAndVersion_inTheManifest_comeBeforeThoseOfALibraryInTheJar() throws Exception {
    Path fat =
        jar(
            "fat.jar",
            Map.of(
                "META-INF/MANIFEST.MF",
                "Manifest-Version: 1.0\nImplementation-Title: shop\nImplementation-Version: 1.2.3\n",
                SERVICES,
                "shop.A",
                pom("library"),
                "artifactId=library\nversion=7\n"));
    assertThat(of(fat).name() + ":" + of(fat).version()).isEqualTo("shop:1.2.3");
  }

  @Test
  void aTitleThatNoImageCanHave_leavesTheNameOfMaven() throws Exception {
    Path jar =
        jar(
            "titled.jar",
            Map.of(
                "META-INF/MANIFEST.MF",
                "Manifest-Version: 1.0\nImplementation-Title: The Shop\nImplementation-Version: 9\n",
                SERVICES,
                "shop.A",
                pom("shop"),
                "artifactId=shop\nversion=1.2.3\n"));
    assertThat(of(jar).name() + ":" + of(jar).version()).isEqualTo("shop:1.2.3");
  }

  @Test
  void aJarWithoutNameAndVersion_orThatHasOthersInIt_needsAName() throws Exception {
    Path gradle = jar("gradle.jar", Map.of(SERVICES, "shop.A"));
    Path shaded =
        jar(
            "shaded.jar",
            Map.of(
                SERVICES, "shop.A", pom("shop"), "artifactId=shop\n", pom("x"), "artifactId=x\n"));
    for (Path one : List.of(gradle, shaded)) {
      assertThatThrownBy(() -> of(one)).hasMessageStartingWith("--name is needed");
      assertThatThrownBy(() -> of(one, "--name", "shop"))
          .hasMessageStartingWith("--version is needed");
      assertThat(of(one, "--name", "shop", "--version", "1").name()).isEqualTo("shop");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Shop", "shop/", "/shop", "shop:1", "a b", "-shop", "x.example.com/"})
  void aNameThatNoImageCanHave_isRefused(String name) throws Exception {
    Path jar = shop();
    assertThatThrownBy(() -> of(jar, "--name=" + name))
        .hasMessageContaining("--name is \"" + name + "\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1+2", ".1", "a b", "1/2"})
  void aVersionThatNoTagCanBe_isRefused(String version) throws Exception {
    Path jar = shop();
    assertThatThrownBy(() -> of(jar, "--version=" + version))
        .hasMessageContaining("--version is \"" + version + "\"");
  }

  @Test
  void withoutControllers_thereIsNoImage() throws Exception {
    Path jar = jar("plain.jar", Map.of("a.txt", "a"));
    assertThatThrownBy(() -> of(jar, "--name=a", "--version=1"))
        .isInstanceOf(HostException.class)
        .hasMessageContaining("no controller is named");
  }

  @Test
  void whatIsNoJar_isNamed() throws Exception {
    Path text = Files.writeString(folder.resolve("text.jar"), "text");
    assertThatThrownBy(() -> of(text)).hasMessageContaining("text.jar");
    assertThatThrownBy(() -> of(folder.resolve("nosuch"))).hasMessageContaining("there is no");
    Path empty = Files.createDirectory(folder.resolve("empty"));
    assertThatThrownBy(() -> of(empty)).hasMessageContaining("there is no jar in");
  }

  @Test
  void twoJarsOfOneName_areRefused() throws Exception {
    Path other = jar("other/shop.jar", Map.of("a.txt", "a"));
    assertThatThrownBy(() -> of(shop(), "--jar=" + other))
        .hasMessageContaining("two jars have one name");
  }

  @Test
  void whatTheRuntimeHas_isNotAddedAgain() throws Exception {
    ProjectJars project = of(shop());
    project.requireNoneOf(List.of(Path.of("lib/other.jar")));
    assertThatThrownBy(() -> project.requireNoneOf(List.of(Path.of("lib/shop.jar"))))
        .hasMessageContaining("a part of the runtime already")
        .hasMessageContaining("shop.jar");
  }

  @ParameterizedTest
  @CsvSource({"1.2.3,true", "0.1.0-SNAPSHOT,true", "1.0,false", "latest,false"})
  void theVersionOfAChart_isASemanticOne(String version, boolean accepted) throws Exception {
    ProjectJars project = of(shop(), "--version=" + version);
    if (accepted) {
      ChartCommand.requireChart(project);
    } else {
      assertThatThrownBy(() -> ChartCommand.requireChart(project)).hasMessageContaining(version);
    }
  }
}
