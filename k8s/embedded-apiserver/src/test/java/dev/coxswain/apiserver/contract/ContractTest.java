// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Every scenario that was recorded from a real API server holds for the embedded one.
 *
 * <p>{@code -Dcoxswain.it.kubeconfig=FILE} points the same scenarios at a real cluster; see {@code
 * docs/guides/testing-coxswain.md}.
 */
final class ContractTest {
  private static final Logger log = LoggerFactory.getLogger(ContractTest.class);

  /** A cluster removes the contents of a namespace in its own time. */
  private static final int GONE_SECONDS = 300;

  private static @org.jspecify.annotations.Nullable EmbeddedApiServer embedded;
  private static ContractServer server;

  @BeforeAll
  static void start() throws IOException {
    String kubeconfig = System.getProperty("coxswain.it.kubeconfig", "");
    if (kubeconfig.isEmpty()) {
      EmbeddedApiServer started =
          EmbeddedApiServer.startBlocking(
              EmbeddedApiServerOptions.defaults()
                  .withShardedListAndWatch(true)
                  .withTokens(
                      List.of(
                          new Token("admin-token", "admin", List.of("system:masters")),
                          new Token("limited-token", "limited", List.of()))));
      embedded = started;
      HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
      server =
          new ContractServer(
              "the embedded server",
              started.url(),
              client,
              client,
              Optional.of("admin-token"),
              Optional.of("limited-token"));
    } else {
      server =
          Kubeconfig.read(Path.of(kubeconfig))
              .confirmedBy(System.getProperty("coxswain.it.confirm", ""))
              .server(Optional.ofNullable(System.getProperty("coxswain.it.limitedToken")));
    }
    log.info("scenarios run against {}", server.description());
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
    if (embedded != null) {
      embedded.close();
    }
  }

  @TestFactory
  Stream<DynamicTest> recordedScenarios()
      throws IOException, URISyntaxException, InterruptedException {
    List<JsonNode> scenarios = Contract.scenarios();
    assertThat(scenarios).as("recorded scenarios").hasSizeGreaterThan(70);
    Contract contract = new Contract(server);
    return Stream.concat(
        scenarios.stream().map(scenario -> test(contract, scenario)),
        Stream.of(
            DynamicTest.dynamicTest(
                "afterwards nothing is left",
                () -> assertThat(contract.left(GONE_SECONDS)).isEmpty())));
  }

  private static DynamicTest test(Contract contract, JsonNode scenario) {
    String name = scenario.path("name").asText();
    return DynamicTest.dynamicTest(
        name,
        () -> {
          contract
              .skipped(scenario)
              .ifPresent(reason -> {
                log.info("SKIP  scenario {}: {}", name, reason);
                Assumptions.abort(reason);
              });
          assertThat(contract.run(scenario)).as(scenario.path("description").asText()).isEmpty();
        });
  }
}
