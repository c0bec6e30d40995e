// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.cron;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.authoring.crd.CrdDifference;
import dev.coxswain.authoring.crd.CrdYaml;
import dev.coxswain.authoring.crd.CustomResourceDefinitions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class CronDefinitionTest {

  private static final Path FILE =
      Path.of("src/main/resources/coxswain/dev/cron/crd-crontasks.yaml");

  @Test
  void theFile_isThatOfTheClass() throws IOException {
    assertThat(
            CrdDifference.between(
                CustomResourceDefinitions.of(CronTask.class),
                CrdYaml.read(Files.readString(FILE)).getFirst()))
        .isEmpty();
  }

  @Test
  void theGuide_showsThisClassAndThisTest() throws IOException {
    String guide = Files.readString(Path.of("../docs/guides/authoring.md"));
    String sources =
        Files.readString(Path.of("src/main/java/dev/coxswain/examples/cron/CronTask.java"))
            + Files.readString(
                Path.of("src/test/java/dev/coxswain/examples/cron/CronDefinitionTest.java"));
    List<String> shown =
        Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
            .matcher(guide)
            .results()
            .map(block -> block.group(1))
            .toList();
    assertThat(shown).hasSize(2);
    for (String block : shown) {
      assertThat(sources).containsIgnoringWhitespaces(block);
    }
  }
}
