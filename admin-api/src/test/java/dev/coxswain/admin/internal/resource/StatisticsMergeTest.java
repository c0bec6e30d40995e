// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.FakeController;
import dev.coxswain.admin.FakeDirectory;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.model.StatisticsResource;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ControllerStatus.Ended;
import dev.coxswain.view.Phase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The statistics of one controller, of what two replicas have sampled. */
class StatisticsMergeTest {

  private static final Duration STEP = Duration.ofSeconds(10);

  /** A replica that samples when it is told to. */
  private static final class Sampled implements AutoCloseable {
    final FakeDirectory directory;
    final FakeController demo = new FakeController("demo");
    final Statistics statistics;

    Sampled(String name, VirtualTime time) {

      directory = new FakeDirectory(name);
      directory.handles.put("demo", demo);
      demo.startedAt = time.instant().minusSeconds(60);
      statistics = new Statistics(directory, time);
    }

    void limiter(String kind, int waiting) {
      directory.budgets.clear();
      directory.budgets.add(
          new BudgetSnapshot("default", kind, 10, 100, 1, waiting, 0, 0, List.of("demo")));
    }

    StatisticsResource view(int stepSeconds) {
      return statistics.view("demo", Duration.ofMinutes(1), Duration.ofSeconds(stepSeconds));
    }

    @Override
    public void close() {
      demo.close();
    }
  }

  private final VirtualTime time = new VirtualTime();
  private final Sampled one = new Sampled("coxswain-0", time);
  private final Sampled other = new Sampled("coxswain-1", time);

  @AfterEach
  void close() {
    one.close();
    other.close();
  }

  private static void sample(Sampled... replicas) {
    for (Sampled replica : replicas) {
      replica.statistics.sample();
    }
  }

  private JsonNode merged(int stepSeconds) {
    return Json.tree(
        StatisticsMerge.merge(List.of(one.view(stepSeconds), other.view(stepSeconds))));
  }

  @Test
  void depthsAndRates_areAddedUp_andAgesAreTheLargest() {
    one.demo.put("a", "b", Phase.READY, 1, "boom");
    other.demo.put("a", "c", Phase.READY, 0, null);
    other.demo.put("a", "d", Phase.DELAYED, 1, "boom");
    time.advance(STEP);
    sample(one, other);
    one.demo.ended = new Ended(100, 0, 0, 10);
    other.demo.ended = new Ended(50, 0, 0, 0);
    time.advance(STEP);
    sample(one, other);
    JsonNode json = merged(10);
    assertThat(json.at("/depth/ready").toString()).isEqualTo("[null,null,null,null,2,2]");
    assertThat(json.at("/depth/delayed/5").asInt()).isEqualTo(1);
    assertThat(json.at("/failing/5").asInt()).isEqualTo(2);
    assertThat(json.at("/oldestReadySeconds/5").asDouble()).isEqualTo(1.5);
    assertThat(json.at("/throughput/success").toString())
        .isEqualTo("[null,null,null,null,null,15.0]");
    assertThat(json.at("/throughput/error/5").asDouble()).isEqualTo(1);
    assertThat(json.path("end").asText()).isEqualTo(time.instant().toString());
  }

  @Test
  void whoWaitsForASharedLimiter_isCountedOnce_forOnesOfTheirOwnAddedUp() {
    one.limiter("hazelcast", 7);
    other.limiter("hazelcast", 8);
    time.advance(STEP);
    sample(one, other);
    assertThat(merged(10).at("/limiterWaiters/5").asInt()).isEqualTo(8);
    one.limiter("local", 7);
    other.limiter("local", 8);
    time.advance(STEP);
    sample(one, other);
    assertThat(merged(10).at("/limiterWaiters/5").asInt()).isEqualTo(15);
  }

  @Test
  void aReplicaThatWasHeldUp_isPutWhereItsSamplesBelong() {
    one.demo.put("a", "b", Phase.READY, 0, null);
    other.demo.put("a", "c", Phase.READY, 0, null);
    time.advance(STEP);
    sample(one, other);
    time.advance(STEP);
    sample(other);
    time.advance(STEP);
    sample(other);
    time.advance(Duration.ofSeconds(3));
    for (int first = 0; first < 2; first++) {
      List<StatisticsResource> parts =
          first == 0
              ? List.of(one.view(10), other.view(10))
              : List.of(other.view(10), one.view(10));
      JsonNode json = Json.tree(StatisticsMerge.merge(parts));
      assertThat(json.at("/depth/ready").toString()).isEqualTo("[null,null,null,2,1,1]");
      assertThat(json.path("end").asText()).isEqualTo(time.instant().minusSeconds(3).toString());
      assertThat(json.path("ageSeconds").asDouble()).isEqualTo(3, offset(1e-6));
    }
  }

  @Test
  void phasesOfTheSampling_andWallClocks_needNotAgree() {
    VirtualTime late = new VirtualTime();
    late.advance(Duration.ofDays(1));
    try (Sampled ahead = new Sampled("coxswain-2", late)) {
      ahead.demo.put("a", "c", Phase.READY, 0, null);
      one.demo.put("a", "b", Phase.READY, 0, null);
      time.advance(STEP);
      sample(one);
      time.advance(Duration.ofSeconds(9)); // its next sample is due in a second
      late.advance(STEP);
      sample(ahead);
      JsonNode json = Json.tree(StatisticsMerge.merge(List.of(one.view(10), ahead.view(10))));
      assertThat(json.at("/depth/ready/5").asInt()).isEqualTo(2);
    }
  }

  @Test
  void overHttp_everyReplicaIsAsked() {
    try (Cluster3 cluster = new Cluster3()) {
      JsonNode all = cluster.at(0).get(Api.DEMO + "/stats?window=1m").ok(200);
      assertThat(all.path("partial").asBoolean(true)).isFalse();
      assertThat(all.path("replicas")).hasSize(3);
      JsonNode sum = cluster.at(0).get("/api/v1/stats?window=1m").ok(200);
      assertThat(sum.path("replicas")).hasSize(3);
      assertThat(sum.at("/depth/ready/5").asInt(-1)).isZero();
      cluster.at(0).directory.handles.clear();
      cluster.at(0).get("/api/v1/controllers/nobody/stats").problem(404, "controller-not-found");
      cluster.kill(2);
      JsonNode some = cluster.at(0).get(Api.DEMO + "/stats").ok(200);
      assertThat(some.path("partial").asBoolean()).isTrue();
      assertThat(some.at("/replicas/2/state").asText()).isEqualTo("unreachable");
      assertThat(cluster.at(0).get(Api.DEMO + "/stats?replica=coxswain-1").ok(200).path("replicas"))
          .hasSize(1);
      cluster.at(0).get("/api/v1/controllers/nobody/stats").problem(503, "replica-unreachable");
      cluster.at(0).get(Api.DEMO + "/stats?step=7s").problem(400, "invalid-query");
    }
  }
}
