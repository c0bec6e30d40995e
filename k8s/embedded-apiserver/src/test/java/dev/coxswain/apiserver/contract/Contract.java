// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The recorded scenarios at one server: which can run there, and what they find.
 *
 * <p>Thread rule: one thread.
 */
final class Contract {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /**
   * Recorded where no node and no workload controller is; they compare all of a Pod, a Deployment
   * or a Job, which change by themselves where there are.
   */
  private static final Set<String> NEEDS_IDLE_WORKLOADS =
      Set.of(
          "apply-deployment",
          "cr-update-needs-version",
          "deployment-generation",
          "eviction-429",
          "job-basic",
          "list-empty",
          "list-field-selectors",
          "patch-merge",
          "patch-strategic",
          "pod-basic",
          "pod-graceful-delete");

  private static final String SHARDS = "ShardedListAndWatch";

  private final ContractServer server;
  private final Leftovers leftovers;
  private final boolean workloadsRun;
  private final boolean shardsSelected;

  Contract(ContractServer server) throws IOException, InterruptedException {
    this.server = server;
    this.leftovers = new Leftovers(server);
    // refused only where the parameter counts
    this.shardsSelected = server.get("/api/v1/namespaces?limit=1&shardSelector=x").status() == 500;
    this.workloadsRun = !server.get("/api/v1/nodes?limit=1").body().path("items").isEmpty();
  }

  /** Returns every recorded scenario. */
  static List<JsonNode> scenarios() throws IOException, URISyntaxException {
    Path folder = Path.of(Objects.requireNonNull(Contract.class.getResource("/contract")).toURI());
    try (Stream<Path> listing = Files.list(folder)) {
      return listing
          .filter(file -> file.toString().endsWith(".json"))
          .sorted()
          .map(Contract::read)
          .toList();
    }
  }

  private static JsonNode read(Path file) {
    try {
      return MAPPER.readTree(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns why a scenario cannot run at this server; empty when it can. */
  Optional<String> skipped(JsonNode scenario) {
    String text = scenario.toString();
    if (workloadsRun && NEEDS_IDLE_WORKLOADS.contains(scenario.path("name").asText())) {
      return Optional.of("needs Pods, Deployments and Jobs without controllers; nodes are there");
    }
    if (!shardsSelected && scenario.path("requires").toString().contains(SHARDS)) {
      return Optional.of("needs the feature gate " + SHARDS);
    }
    if (server.limitedToken().isEmpty() && text.contains("\"auth\":\"limited\"")) {
      return Optional.of("needs a user without any right: -Dcoxswain.it.limitedToken=TOKEN");
    }
    if (server.token().isEmpty() && text.contains("${token}")) {
      return Optional.of("needs a bearer token; the context has a client certificate instead");
    }
    return Optional.empty();
  }

  /**
   * Runs a scenario and requests the removal of what it made, however it ends.
   *
   * @return the differences of the first step that has any; empty when all is as recorded
   */
  List<String> run(JsonNode scenario) throws IOException, InterruptedException {
    Scenario running = new Scenario(scenario, server, leftovers);
    try {
      return running.run();
    } finally {
      leftovers.remove(running.group());
    }
  }

  /** Returns what scenarios have made and is not gone when the limit is over. */
  List<String> left(int limitSeconds) throws IOException, InterruptedException {
    return leftovers.afterwards(limitSeconds);
  }
}
