// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Rules of a Kubernetes API server beyond the recorded scenarios: one file of requests and answers
 * for each area in {@code rules}. The form of the files is described at {@link RuleScenario}.
 */
final class RulesTest {
  @SuppressWarnings("NullAway.Init")
  private static EmbeddedApiServer server;

  @BeforeAll
  static void start() {
    server = EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @TestFactory
  Stream<DynamicNode> areas() throws IOException, URISyntaxException {
    Path folder = Path.of(Objects.requireNonNull(RulesTest.class.getResource("/rules")).toURI());
    List<DynamicNode> areas = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.sorted().toList()) {
        List<DynamicNode> tests = new ArrayList<>();
        for (RuleScenario scenario : RuleScenario.read(file)) {
          tests.add(
              DynamicTest.dynamicTest(
                  scenario.name(),
                  () -> assertThat(scenario.run(server.url())).as(scenario.name()).isEmpty()));
        }
        assertThat(tests).as("scenarios of %s", file.getFileName()).isNotEmpty();
        areas.add(DynamicContainer.dynamicContainer(String.valueOf(file.getFileName()), tests));
      }
    }
    assertThat(areas).as("areas").isNotEmpty();
    return areas.stream();
  }
}
