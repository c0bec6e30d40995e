// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.cron;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.authoring.crd.CrdDifference;
import dev.coxswain.authoring.crd.CrdYaml;
import dev.coxswain.authoring.crd.CustomResourceDefinitions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
}
