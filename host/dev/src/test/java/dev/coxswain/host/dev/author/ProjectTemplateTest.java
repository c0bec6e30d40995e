// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.dev.author;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProjectTemplateTest {

  private static final Path TEMPLATE =
      Path.of(System.getProperty("basedir", "."), "..", "..", "examples", "plugin");

  @TempDir private Path folder;

  @Test
  void withTheNamesOfTheTemplate_aProjectIsTheTemplate_fileByFile() throws IOException {
    new ProjectTemplate("greeter", "hello").write(folder);
    Map<String, String> expected = files(TEMPLATE);
    expected.put(".gitignore", expected.remove("gitignore"));
    assertThat(files(folder)).containsExactlyInAnyOrderEntriesOf(expected);
  }

  @Test
  void noNameOfTheTemplate_isLeft() throws IOException {
    ProjectTemplate project = new ProjectTemplate("night-watch", "org.example");
    assertThat(project.className()).isEqualTo("NightWatch");
    project.write(folder);
    files(folder)
        .forEach((name, text) ->
            assertThat(name + text)
                .as(name)
                .doesNotContainIgnoringCase("greeter")
                .doesNotContain("package hello", "java/hello", "<groupId>hello"));
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
}
