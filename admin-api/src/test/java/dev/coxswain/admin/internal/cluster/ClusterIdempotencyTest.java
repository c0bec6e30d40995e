// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.controller.BulkRequest;
import dev.coxswain.view.ControllerStatus;
import dev.coxswain.view.Phase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The same key is carried out once by each replica, through whichever it is sent. */
class ClusterIdempotencyTest {

  private static final String KEY = "Idempotency-Key";
  private static final String ORDERS = Api.DEMO + "/operations";
  private static final String RETRY =
      "{\"action\":\"retry\",\"selector\":{\"failing\":true},\"reason\":\"INC-1\"}";

  private final Cluster3 cluster = new Cluster3();

  @AfterEach
  void close() {
    cluster.close();
  }

  private List<Integer> executions() {
    List<Integer> executions = new ArrayList<>();
    for (Api api : cluster.apis) {
      synchronized (api.demo) {
        executions.add((int) api.demo.bulks.stream().filter(bulk -> !bulk.dryRun()).count());
      }
    }
    return executions;
  }

  /** The parts were counted under the same key before, which must not use it up. */
  @Test
  void anOperationWithAKey_isBegunByAllThatRunTheController() {
    cluster.fill(0, 2);
    cluster.fill(1, 3);
    JsonNode begun = cluster.at(2).post(ORDERS, RETRY, KEY, "k").ok(202);
    assertThat(begun.path("results"))
        .allSatisfy(result -> assertThat(result.path("state").asText()).isEqualTo("done"));
    assertThat(cluster.at(0).ended(begun).path("applied").asInt()).isEqualTo(5);
    assertThat(executions()).containsExactly(1, 1, 1);
  }

  @Test
  void anOperationThatIsSentAgain_isNotBegunTwice_throughAnyReplica() {
    cluster.fill(0, 6);
    cluster.fill(1, 7);
    String confirmed = cluster.at(0).confirmed(ORDERS, RETRY);
    JsonNode begun = cluster.at(0).post(ORDERS, confirmed, KEY, "k").ok(202);
    cluster.at(1).ended(begun);
    for (Api api : cluster.apis) {
      JsonNode again = api.post(ORDERS, confirmed, KEY, "k").ok(202);
      assertThat(again.path("id")).isEqualTo(begun.path("id"));
    }
    assertThat(executions()).containsExactly(1, 1, 1);
    assertThat(cluster.at(0).demo.bulks).anyMatch(BulkRequest::dryRun);
  }

  /** The answer was lost, say, and a balancer sends the second try to another replica. */
  @Test
  void whatAReplicaHasMadeAlone_isNotMadeAgain_throughAnother() {
    String id = cluster.at(0).demo.put("ns", "a", Phase.DELAYED, 1, "boom");
    String item = Api.item(id) + "?replica=coxswain-0";
    String body = "{\"reason\":\"INC-1\"}";
    assertThat(cluster.at(0).change("DELETE", item, body, KEY, "k").status()).isEqualTo(204);
    cluster.at(0).demo.put("ns", "a", Phase.DELAYED, 1, "boom");
    assertThat(cluster.at(1).change("DELETE", item, body, KEY, "k").status()).isEqualTo(204);
    assertThat(cluster.at(0).demo.size()).isEqualTo(1);
  }

  @Test
  void anOperationThatAReplicaHasBegunAlone_isNotBegunAgain_throughAnother() {
    cluster.fill(0, 2);
    String here = ORDERS + "?replica=coxswain-0";
    JsonNode begun = cluster.at(0).post(here, RETRY, KEY, "k").ok(202);
    cluster.at(0).ended(begun);
    JsonNode again = cluster.at(1).post(here, RETRY, KEY, "k").ok(202);
    assertThat(again.path("id")).isEqualTo(begun.path("id"));
    assertThat(executions()).containsExactly(1, 0, 0);
  }

  /** Nobody knows what became of the own part, so the key must not be free for it. */
  @Test
  void whatAReplicaDidNotFinishItself_isNotBegunAgain_underTheSameKey() {
    cluster.at(2).directory.handles.clear();
    String id = cluster.at(0).demo.put("ns", "a", Phase.DELAYED, 1, "boom");
    cluster.at(1).demo.put("ns", "a", Phase.DELAYED, 1, "boom");
    cluster.at(0).demo.silentActions = true;
    cluster.at(1).demo.state = ControllerStatus.State.DRAINING;
    String body = "{\"reason\":\"INC-1\"}";
    for (int i = 0; i < 2; i++) {
      cluster.at(0).post(Api.item(id) + "/retry", body, KEY, "k").problem(503, "outcome-unknown");
    }
    assertThat(cluster.at(0).demo.unanswered.get()).isEqualTo(1);
  }
}
