// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The scenarios at a server that they do not own; one in another process stands for it. */
@Timeout(600) // every wait inside has its own limit
final class KubeconfigContractTest {
  private static final int GONE_SECONDS = 60;

  @TempDir private static Path folder;

  private static ServerProcess process;
  private static ContractServer server;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    process = ServerProcess.start(folder);
    server = Kubeconfig.read(process.kubeconfig()).confirmedBy("").server(Optional.empty());
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
    process.close();
  }

  @Test
  void scenarios_thatHoldFinalizersNamespacesAndDefinitions_leaveNothing()
      throws IOException, URISyntaxException, InterruptedException {
    List<String> before = objects();
    Contract contract = new Contract(server);
    List<String> names =
        List.of(
            "crd-cluster-scoped",
            "crd-status-subresource",
            "delete-propagation",
            "errors-authentication",
            "finalizer-cr",
            "finalizer-lifecycle",
            "namespace-lifecycle");
    for (JsonNode scenario : Contract.scenarios()) {
      if (names.contains(scenario.path("name").asText())) {
        assertThat(contract.skipped(scenario)).isEmpty();
        assertThat(contract.run(scenario)).as(scenario.path("name").asText()).isEmpty();
      }
    }
    assertThat(contract.left(GONE_SECONDS)).isEmpty();
    assertThat(objects()).isEqualTo(before);
  }

  @Test
  void scenario_thatFails_leavesNothing() throws IOException, InterruptedException {
    List<String> before = objects();
    Contract contract = new Contract(server);
    List<String> problems = contract.run(new ObjectMapper().readTree(FAILS));
    assertThat(problems).singleElement().asString().startsWith("step 5 ").contains("418");
    assertThat(contract.left(GONE_SECONDS)).isEmpty();
    assertThat(objects()).isEqualTo(before);
  }

  @Test
  void whatNeedsAnotherUser_isSkippedWithTheProperty()
      throws IOException, URISyntaxException, InterruptedException {
    Map<String, String> skipped = skipped();
    assertThat(skipped)
        .containsOnlyKeys("access-reviews", "errors-forbidden", "errors-forbidden-cr");
    assertThat(skipped.values()).allMatch(why -> why.contains("-Dcoxswain.it.limitedToken"));
  }

  @Test
  void whatNeedsIdleWorkloads_isSkippedWhereThereAreNodes()
      throws IOException, URISyntaxException, InterruptedException {
    String node = "{\"metadata\":{\"name\":\"n\"}}";
    assertThat(server.call("POST", "/api/v1/nodes", "application/json", node).status())
        .isEqualTo(201);
    try {
      assertThat(skipped())
          .hasSize(14)
          .containsKeys("pod-basic", "deployment-generation", "errors-forbidden")
          .doesNotContainKeys("configmap-crud", "service-basic");
    } finally {
      server.call("DELETE", "/api/v1/nodes/n", "", "");
    }
  }

  private static Map<String, String> skipped()
      throws IOException, URISyntaxException, InterruptedException {
    Contract contract = new Contract(server);
    Map<String, String> reasons = new TreeMap<>();
    for (JsonNode scenario : Contract.scenarios()) {
      contract.skipped(scenario).ifPresent(why -> reasons.put(scenario.path("name").asText(), why));
    }
    return reasons;
  }

  private static List<String> objects() throws IOException, InterruptedException {
    List<String> names = new ArrayList<>();
    for (String collection :
        List.of(
            "/api/v1/namespaces",
            "/api/v1/configmaps",
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions")) {
      for (JsonNode item : server.get(collection).body().path("items")) {
        names.add(collection + " " + item.at("/metadata/name").asText());
      }
    }
    return names;
  }

  private static final String FAILS =
      """
      {"name": "fails", "namespaces": ["ns"], "steps": [
       {"method": "POST", "path": "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        "body": {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
         "metadata": {"name": "widgets.${group}"},
         "spec": {"group": "${group}", "scope": "Cluster",
          "names": {"kind": "Widget", "plural": "widgets"},
          "versions": [{"name": "v1", "served": true, "storage": true, "schema":
           {"openAPIV3Schema": {"type": "object"}}}]}},
        "expect": {"status": 201}},
       {"method": "GET", "path": "/apis/${group}/v1/widgets", "within": 30,
        "expect": {"status": 200}},
       {"method": "POST", "path": "/apis/${group}/v1/widgets",
        "body": {"apiVersion": "${group}/v1", "kind": "Widget",
         "metadata": {"name": "w", "finalizers": ["contract.example.com/hold"]}},
        "expect": {"status": 201}},
       {"method": "POST", "path": "/api/v1/namespaces/${ns}/configmaps",
        "body": {"apiVersion": "v1", "kind": "ConfigMap",
         "metadata": {"name": "a", "finalizers": ["contract.example.com/hold"]}},
        "expect": {"status": 201}},
       {"method": "GET", "path": "/api/v1/namespaces/${ns}/configmaps/a",
        "expect": {"status": 418}}]}
      """;
}
