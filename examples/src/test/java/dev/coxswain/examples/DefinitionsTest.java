// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.ControllerDefinition;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class DefinitionsTest {

  @Test
  void allExamples_areFoundByTheHost() {
    assertThat(ServiceLoader.load(ControllerDefinition.class))
        .extracting(ControllerDefinition::name)
        .containsExactlyInAnyOrder(
            "error-backoff", "config-mirror", "cron", "training-job", "pod-simulator", "fleet");
  }
}
