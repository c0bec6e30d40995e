// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.guide;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The Java of the guides for those who come from other frameworks is code of this project. */
class MigrationGuideTest {

  private static final Pattern JAVA = Pattern.compile("(?s)```java\n(.*?)```");
  private static final Path ROOT =
      Path.of(System.getProperty("basedir", ".")).toAbsolutePath().resolve("../..");

  private static String squeezed(String code) {
    return code.replaceAll("\\s+", "");
  }

  private static String code(String folder) throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.list(ROOT.resolve(folder)).sorted()) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        all.append(squeezed(Files.readString(file)));
      }
    }
    return all.toString();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "migrating-from-controller-runtime.md",
        "migrating-from-josdk.md",
        "migrating-from-official-client.md"
      })
  void everySnippet_isCompiledCode(String guide) throws IOException {
    String compiled =
        code("k8s/junit5/src/test/java/dev/coxswain/junit5/guide")
            + code("bench/josdk/src/test/java/dev/coxswain/bench/josdk/website")
            + code("bench/src/test/java/dev/coxswain/bench/extended/website");
    List<String> snippets =
        JAVA.matcher(Files.readString(ROOT.resolve("docs/guides").resolve(guide)))
            .results()
            .map(found -> found.group(1))
            .toList();
    assertThat(snippets).hasSizeGreaterThan(3);
    assertThat(snippets).allSatisfy(snippet -> assertThat(compiled).contains(squeezed(snippet)));
  }

  /** Otherwise a renamed page would be checked no more. */
  @Test
  void allGuides_areInTheIndex() throws IOException {
    assertThat(Files.readString(ROOT.resolve("docs/README.md")))
        .contains(
            "guides/migrating-from-controller-runtime.md",
            "guides/migrating-from-josdk.md",
            "guides/migrating-from-official-client.md");
  }
}
