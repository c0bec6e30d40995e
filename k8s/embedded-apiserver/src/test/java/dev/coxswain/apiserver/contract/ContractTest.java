// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Every scenario that was recorded from a real API server holds for the embedded one.
 *
 * <p>{@code -Dcontract.server=URL -Dcontract.token=T -Dcontract.limitedToken=T} points the same
 * scenarios at another server.
 */
final class ContractTest {
  /**
   * Scenarios that do not pass yet, with the reason; one that passes must be taken off the list.
   */
  private static final Set<String> NOT_YET = Set.of();

  private static EmbeddedApiServer server;
  private static HttpClient client;

  @BeforeAll
  static void start() {
    server =
        EmbeddedApiServer.startBlocking(
            EmbeddedApiServerOptions.defaults()
                .withTokens(
                    List.of(
                        new Token("admin-token", "admin", List.of("system:masters")),
                        new Token("limited-token", "limited", List.of()))));
    client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  }

  @AfterAll
  static void stop() {
    client.shutdownNow();
    server.close();
  }

  @TestFactory
  Stream<DynamicTest> recordedScenarios() throws IOException, URISyntaxException {
    Path folder =
        Path.of(Objects.requireNonNull(ContractTest.class.getResource("/contract")).toURI());
    List<Path> files;
    try (Stream<Path> listing = Files.list(folder)) {
      files = listing.filter(p -> p.toString().endsWith(".json")).sorted().toList();
    }
    assertThat(files).as("recorded scenarios").hasSizeGreaterThan(70);
    return files.stream().map(ContractTest::test);
  }

  private static DynamicTest test(Path file) {
    String name = file.getFileName().toString().replace(".json", "");
    return DynamicTest.dynamicTest(
        name,
        () -> {
          JsonNode scenario = new ObjectMapper().readTree(Files.readAllBytes(file));
          String url = System.getProperty("contract.server", server.url());
          String token = System.getProperty("contract.token", "admin-token");
          String limited = System.getProperty("contract.limitedToken", "limited-token");
          List<String> problems = new Scenario(scenario, url, token, limited, client).run();
          if (NOT_YET.contains(name)) {
            assertThat(problems).as("%s passes now: take it off the list", name).isNotEmpty();
          } else {
            assertThat(problems).as(scenario.path("description").asText()).isEmpty();
          }
        });
  }
}
