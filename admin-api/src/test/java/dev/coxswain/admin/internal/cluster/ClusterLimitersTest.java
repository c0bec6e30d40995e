// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.retry.BudgetSnapshot.Floor;
import dev.coxswain.retry.BudgetSnapshot.Replica;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A limiter that the replicas share is one thing, whichever of them is asked. */
class ClusterLimitersTest {

  private static final String LIST = "/api/v1/limiters";
  private static final String VENDOR = LIST + "/vendor";

  private final Cluster3 cluster = new Cluster3();

  @AfterEach
  void close() {
    cluster.close();
  }

  /** Puts a shared limiter there as a replica tells of it: 1, 2 and 3 retries wait. */
  private void share(int replica, @Nullable String degraded) {
    List<Replica> all =
        List.of(
            new Replica("coxswain-0", 1, 10),
            new Replica("coxswain-1", 2, 20),
            new Replica("coxswain-2", 3, 30));
    cluster
        .at(replica)
        .directory
        .budgets
        .add(
            new BudgetSnapshot(
                "vendor",
                "hazelcast",
                10,
                100,
                40 + replica,
                6,
                10L * (replica + 1),
                replica,
                List.of("c" + replica),
                degraded,
                all,
                null,
                new Floor(0.5, 4, replica, replica + 2)));
  }

  private void own(int replica, int waiting) {
    cluster
        .at(replica)
        .directory
        .budgets
        .add(new BudgetSnapshot("own", "local", 5, 50, 7, waiting, 100, 1, List.of("c" + replica)));
  }

  @Test
  void aSharedLimiter_isShownOnce_withWhatEachReplicaHasOfIt() {
    for (int i = 0; i < 3; i++) {
      share(i, null);
    }
    for (int asked = 0; asked < 3; asked++) {
      JsonNode list = cluster.at(asked).get(LIST).ok(200);
      assertThat(list.path("partial").asBoolean(true)).isFalse();
      assertThat(list.path("replicas").findValuesAsText("state")).containsExactly("ok", "ok", "ok");
      assertThat(list.path("items")).hasSize(1);
      JsonNode one = cluster.at(asked).get(VENDOR).ok(200);
      for (JsonNode limiter : List.of(list.path("items").path(0), one)) {
        assertThat(limiter.path("waiters").asInt()).isEqualTo(6);
        assertThat(limiter.path("granted").asInt()).isEqualTo(60);
        assertThat(limiter.path("denied").asInt()).isEqualTo(3);
        assertThat(limiter.path("capacity").asInt()).isEqualTo(100);
        assertThat(limiter.path("refillPerSecond").asDouble()).isEqualTo(10);
        assertThat(limiter.path("tokens").asDouble()).isEqualTo(40 + asked);
        assertThat(limiter.path("consumers").toString()).isEqualTo("[\"c0\",\"c1\",\"c2\"]");
        assertThat(limiter.path("parts").findValuesAsText("replica"))
            .containsExactly("coxswain-0", "coxswain-1", "coxswain-2");
        assertThat(limiter.path("parts").findValuesAsText("waiters"))
            .containsExactly("1", "2", "3");
        assertThat(limiter.path("replicas").findValuesAsText("granted"))
            .containsExactly("10", "20", "30");
      }
      assertThat(one.path("replica").asText()).isEqualTo("coxswain-" + asked);
      assertThat(one.path("replicas").findValuesAsText("state")).containsExactly("ok", "ok", "ok");
    }
  }

  @Test
  void whatAReplicaMayUseAlone_isShownInItsPart_andNowhereElse() {
    for (int i = 0; i < 2; i++) {
      share(i, null);
    }
    own(0, 1);
    JsonNode one = cluster.at(2).get(VENDOR).ok(200);
    assertThat(one.has("floor")).isFalse();
    JsonNode second = one.at("/parts/1/floor");
    assertThat(second.path("refillPerSecond").asDouble()).isEqualTo(0.5);
    assertThat(second.path("capacity").asInt()).isEqualTo(4);
    assertThat(second.path("tokens").asDouble()).isEqualTo(1);
    assertThat(second.path("granted").asInt()).isEqualTo(3);
    assertThat(one.at("/parts/0/floor/granted").asInt()).isEqualTo(2);
    assertThat(cluster.at(2).get(LIST + "/own").ok(200).at("/parts/0").has("floor")).isFalse();
  }

  @Test
  void ofAReplicaThatDoesNotAnswer_isShownWhatTheOthersHaveHeard() {
    for (int i = 0; i < 3; i++) {
      share(i, null);
    }
    cluster.kill(2);
    JsonNode list = cluster.at(0).get(LIST).ok(200);
    assertThat(list.path("partial").asBoolean()).isTrue();
    assertThat(list.at("/replicas/2/state").asText()).isEqualTo("unreachable");
    JsonNode one = cluster.at(0).get(VENDOR).ok(200);
    assertThat(one.path("partial").asBoolean()).isTrue();
    assertThat(one.path("waiters").asInt()).isEqualTo(6);
    assertThat(one.path("granted").asInt()).isEqualTo(60);
    assertThat(one.path("parts")).hasSize(2);
    JsonNode gone = one.at("/replicas/2");
    assertThat(gone.path("name").asText()).isEqualTo("coxswain-2");
    assertThat(gone.path("state").asText()).isEqualTo("unreachable");
    assertThat(gone.path("waiters").asInt()).isEqualTo(3);
  }

  @Test
  void limitersOfTheReplicasAlone_areAddedUp_andSettingsAreThoseOfOne() {
    own(0, 1);
    own(2, 4);
    JsonNode own = cluster.at(1).get(LIST + "/own").ok(200);
    assertThat(own.path("waiters").asInt()).isEqualTo(5);
    assertThat(own.path("granted").asInt()).isEqualTo(200);
    assertThat(own.path("capacity").asInt()).isEqualTo(50);
    assertThat(own.path("parts").findValuesAsText("replica"))
        .containsExactly("coxswain-0", "coxswain-2");
    assertThat(own.path("partial").asBoolean(true)).isFalse();
  }

  @Test
  void whatOneReplicaLacks_isTold_andSharedNumbersAreThoseOfAnother() {
    share(0, "Hazelcast is split");
    share(1, null);
    JsonNode one = cluster.at(0).get(VENDOR).ok(200);
    assertThat(one.path("degraded").asBoolean()).isTrue();
    assertThat(one.path("degradedReason").asText()).isEqualTo("coxswain-0: Hazelcast is split");
    assertThat(one.path("tokens").asDouble()).isEqualTo(41);
    assertThat(one.path("parts").findValuesAsText("degraded")).containsExactly("true", "false");
  }

  @Test
  void oneReplica_isEnough_whenItIsAskedFor() {
    for (int i = 0; i < 2; i++) {
      share(i, null);
    }
    own(1, 4);
    cluster.kill(2);
    JsonNode local = cluster.at(0).get(LIST + "?scope=local").ok(200);
    assertThat(local.path("partial").asBoolean(true)).isFalse();
    assertThat(local.path("items")).hasSize(1);
    JsonNode other = cluster.at(0).get(VENDOR + "?replica=coxswain-1").ok(200);
    assertThat(other.path("parts").findValuesAsText("waiters")).containsExactly("2");
    cluster.at(0).get(LIST + "/own?scope=local").problem(404, "limiter-not-found");
    cluster.at(0).get(LIST + "/nobody").problem(503, "replica-unreachable");
    cluster.at(0).get(LIST + "?more=1").problem(400, "invalid-query");
    cluster.at(0).get(LIST + "?replica=coxswain-9").problem(404, "replica-not-found");
  }

  @Test
  void aLimiterThatNobodyHas_isNotFound() {
    cluster.at(0).get(LIST + "/nobody").problem(404, "limiter-not-found");
  }
}
