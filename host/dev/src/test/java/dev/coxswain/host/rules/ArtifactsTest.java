// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What is published: each module can be imported by the BOM, and has what Maven Central asks for. */
class ArtifactsTest {

  private static final Path ROOT =
      Path.of(System.getProperty("basedir", "."), "..", "..").toAbsolutePath().normalize();
  private static final String GROUP = "<groupId>dev.coxswain</groupId>";

  @Test
  void eachModule_isManagedByTheBom_andHasANameAndADescription() throws IOException {
    String parent = read("pom.xml");
    Set<String> managed =
        new TreeSet<>(
            all(parent.replaceAll("\\s+", ""), GROUP + "<artifactId>(coxswain-[a-z0-9-]+)<"));
    Set<String> artifacts = new TreeSet<>();
    List<String> modules = all(parent.substring(0, parent.indexOf("</modules>")), "<module>(.+?)<");
    assertThat(modules).contains("verticles/bom", "k8s/authoring");
    for (String module : modules) {
      String pom = read(module + "/pom.xml");
      String own = pom.substring(pom.indexOf("</parent>"));
      assertThat(own).as(module).contains("<name>", "<description>");
      artifacts.add(all(own, "<artifactId>(coxswain-[a-z0-9-]+)<").getFirst());
    }
    artifacts.remove("coxswain-bom");
    managed.remove("coxswain-parent");
    assertThat(managed).isEqualTo(artifacts);
  }

  @Test
  void theParent_hasUrlLicenceDevelopersAndScm() throws IOException {
    assertThat(read("pom.xml"))
        .contains("<url>", "<licenses>", "<developers>", "<scm ", "<connection>");
    // Its managed versions are those of the parent.
    assertThat(read("verticles/bom/pom.xml")).contains("<packaging>pom</packaging>");
  }

  /** The template is resolved by other projects, where nothing else holds its versions. */
  @Test
  void theTemplate_hasTheVersionOfThisBuild_andItsPlugins() throws IOException {
    String parent = read("pom.xml").replaceAll("\\s+", "");
    String template = read("examples/plugin/pom.xml").replaceAll("\\s+", "");
    String version =
        all(parent, "<artifactId>coxswain-parent</artifactId><version>(.+?)<").getFirst();
    assertThat(template).contains("<coxswain.version>" + version + "<");
    for (String plugin : all(template, "<artifactId>(maven-[a-z]+-plugin)<")) {
      String pattern = "<artifactId>" + plugin + "</artifactId><version>(.+?)<";
      assertThat(all(template, pattern)).as(plugin).isSubsetOf(all(parent, pattern));
    }
    String junit = all(parent, "<junit.version>(.+?)<").getFirst();
    assertThat(read("examples/plugin-gradle/build.gradle"))
        .contains("def coxswain = '" + version + "'\n", "def junit = '" + junit + "'\n");
  }

  private static List<String> all(String text, String pattern) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map((MatchResult m) -> m.group(1))
        .toList();
  }

  private static String read(String file) throws IOException {
    return Files.readString(ROOT.resolve(file));
  }
}
