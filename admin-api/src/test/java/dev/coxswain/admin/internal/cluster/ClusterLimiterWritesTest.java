// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.spi.LimiterOverrides;
import dev.coxswain.retry.BudgetSnapshot;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A limiter is set through any replica, also one that does not have it. */
class ClusterLimiterWritesTest {

  private static final String VENDOR = "/api/v1/limiters/vendor";
  private static final String OVERRIDE = VENDOR + "/override";
  private static final String HALF = "{\"rate\":5,\"ttl\":\"30m\",\"reason\":\"INC-1\"}";
  private static final String WHY = "{\"reason\":\"over\"}";

  private final Cluster3 cluster = new Cluster3();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private volatile @Nullable RuntimeException failure;

  /** What all replicas share, as one of them sees it. */
  private final class Shared implements LimiterOverrides {
    private final int replica;

    Shared(int replica) {
      this.replica = replica;
    }

    @Override
    public Future<Void> set(
        String limiter, @Nullable Double rate, @Nullable Integer burst, Duration ttl) {
      return done("set " + limiter + " " + rate + " " + burst + " " + ttl);
    }

    @Override
    public boolean raises(String limiter, @Nullable Double rate, @Nullable Integer burst) {
      return rate != null && rate > 10;
    }

    @Override
    public Future<Void> clear(String limiter) {
      return done("clear " + limiter);
    }

    private Future<Void> done(String what) {
      asked.add(replica + " " + what);
      RuntimeException cause = failure;
      return cause == null ? Future.succeededFuture() : Future.failedFuture(cause);
    }
  }

  @BeforeEach
  void begin() {
    for (int i = 0; i < 3; i++) {
      cluster.at(i).directory.overrides = new Shared(i);
    }
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private void has(int replica) {
    cluster
        .at(replica)
        .directory
        .budgets
        .add(
            new BudgetSnapshot(
                "vendor", "hazelcast", 10, 100, 40, 0, 1, 0, List.of("c" + replica)));
  }

  @Test
  void aLimiterOfAnotherReplica_isSetAndResetThere_andThatIsTold() {
    has(2);
    JsonNode set = cluster.at(0).change("PATCH", VENDOR, HALF).ok(200);
    assertThat(set.path("name").asText()).isEqualTo("vendor");
    assertThat(set.path("replica").asText()).isEqualTo("coxswain-2");
    assertThat(set.path("partial").asBoolean(true)).isFalse();
    assertThat(set.at("/results/0/replica").asText()).isEqualTo("coxswain-2");
    assertThat(set.at("/results/0/state").asText()).isEqualTo("done");
    JsonNode reset = cluster.at(1).change("DELETE", OVERRIDE, WHY).ok(200);
    assertThat(reset.path("replica").asText()).isEqualTo("coxswain-2");
    cluster.at(1).change("PUT", OVERRIDE, HALF).ok(200);
    assertThat(asked)
        .containsExactly(
            "2 set vendor 5.0 null PT30M", "2 clear vendor", "2 set vendor 5.0 null PT30M");
  }

  @Test
  void theReplicaThatIsAsked_doesItItself_whenItHasTheLimiter() {
    has(0);
    has(1);
    cluster.kill(2); // it is not asked, so nothing is missing
    JsonNode set = cluster.at(1).change("PATCH", VENDOR, HALF).ok(200);
    assertThat(set.path("replica").asText()).isEqualTo("coxswain-1");
    assertThat(set.path("partial").asBoolean(true)).isFalse();
    assertThat(set.path("results").findValuesAsText("state")).containsExactly("done");
    assertThat(asked).containsExactly("1 set vendor 5.0 null PT30M");
  }

  @Test
  void ofSeveralThatHaveIt_oneIsEnough_sinceTheOthersFollow() {
    has(1);
    has(2);
    cluster.at(0).change("PATCH", VENDOR, HALF).ok(200);
    assertThat(asked).containsExactly("1 set vendor 5.0 null PT30M");
  }

  @Test
  void theReplicaThatIsNamed_isMeant() {
    has(0);
    has(2);
    cluster.at(0).change("PATCH", VENDOR + "?replica=coxswain-2", HALF).ok(200);
    cluster.at(2).change("DELETE", OVERRIDE + "?scope=local", WHY).ok(200);
    cluster.at(1).change("PATCH", VENDOR + "?scope=local", HALF).problem(404, "limiter-not-found");
    assertThat(asked).containsExactly("2 set vendor 5.0 null PT30M", "2 clear vendor");
  }

  @Test
  void whatTheOtherReplicaRefuses_isRefusedInItsWords() {
    has(2);
    JsonNode body =
        cluster.at(0).change("PATCH", VENDOR, WHY).problem(400, "invalid-body").path("errors");
    assertThat(body.findValuesAsText("pointer")).contains("/rate", "/ttl");
    failure = new LimiterOverrides.NoQuorumException("1 of 3 replicas is reached");
    JsonNode none = cluster.at(0).change("PATCH", VENDOR, HALF).problem(503, "no-quorum");
    assertThat(none.path("detail").asText()).contains("1 of 3", "nothing was changed");
    failure = new IllegalArgumentException("limiters.vendor.maxRate = 4.0");
    cluster.at(0).change("PATCH", VENDOR, HALF).problem(422, "override-refused");
    failure = new IllegalStateException("secret internals");
    cluster.at(0).change("PATCH", VENDOR, HALF).problem(503, "outcome-unknown");
    failure = null;
    cluster.at(2).directory.overrides = null;
    cluster.at(0).change("PATCH", VENDOR, HALF).problem(409, "limiter-not-shared");
  }

  @Test
  void aLimiterThatNobodyHas_isNotFound_unlessSomebodyDidNotAnswer() {
    cluster.at(0).change("PATCH", VENDOR, HALF).problem(404, "limiter-not-found");
    cluster.at(0).change("DELETE", OVERRIDE, WHY).problem(404, "limiter-not-found");
    cluster.kill(2);
    cluster.at(0).change("PATCH", VENDOR, HALF).problem(503, "replica-unreachable");
    assertThat(asked).isEmpty();
  }

  @Test
  void bothReplicasRecordIt_underOneRequestId_andFindingItIsNoChange() {
    has(2);
    Api.Answer answer = cluster.at(0).change("PATCH", VENDOR, HALF);
    answer.ok(200);
    String id = answer.header("X-Request-Id");
    for (int i : new int[] {0, 2}) {
      JsonNode items = cluster.at(i).get("/api/v1/audit?scope=local").ok(200).path("items");
      assertThat(items).hasSize(2);
      for (JsonNode record : items) {
        assertThat(record.path("action").asText()).isEqualTo("override-limiter");
        assertThat(record.path("limiter").asText()).isEqualTo("vendor");
        assertThat(record.path("reason").asText()).isEqualTo("INC-1");
        assertThat(record.path("requestId").asText()).isEqualTo(id);
      }
    }
    assertThat(cluster.at(1).get("/api/v1/audit?scope=local").ok(200).path("items")).isEmpty();
  }

  @Test
  void sentAgainWithItsKey_itIsMadeOnce_throughWhicheverReplica() {
    has(2);
    String[] key = {"Idempotency-Key", "k-1"};
    cluster.at(0).change("PATCH", VENDOR, HALF, key).ok(200);
    cluster.at(0).change("PATCH", VENDOR, HALF, key).ok(200);
    cluster.at(1).change("PATCH", VENDOR, HALF, key).ok(200);
    assertThat(asked).hasSize(1);
  }
}
