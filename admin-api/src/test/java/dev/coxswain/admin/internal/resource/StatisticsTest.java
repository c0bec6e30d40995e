// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.FakeController;
import dev.coxswain.admin.FakeDirectory;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ControllerStatus.Ended;
import dev.coxswain.view.Phase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StatisticsTest {

  private static final Duration STEP = Duration.ofSeconds(10);

  private final VirtualTime time = new VirtualTime();
  private final FakeDirectory directory = new FakeDirectory();
  private final FakeController demo = new FakeController("demo");
  private final Statistics statistics = new Statistics(directory, time);

  StatisticsTest() {
    directory.handles.put("demo", demo);
    demo.startedAt = time.instant().minusSeconds(60);
  }

  @AfterEach
  void close() {
    demo.close();
  }

  private void step() {
    time.advance(STEP);
    statistics.sample();
  }

  private JsonNode view(int minutes, int stepSeconds) {
    return Json.tree(
        statistics.view("demo", Duration.ofMinutes(minutes), Duration.ofSeconds(stepSeconds)));
  }

  @Test
  void aSample_holdsDepthAgeAndWaiters() {
    demo.put("a", "b", Phase.READY, 0, null);
    demo.put("a", "c", Phase.DELAYED, 1, "boom");
    directory.budgets.add(
        new BudgetSnapshot("default", "local", 10, 100, 1, 7, 0, 0, List.of("demo")));
    step();
    JsonNode json = view(1, 10);
    assertThat(json.path("points").asInt()).isEqualTo(6);
    assertThat(json.path("depth").path("ready").toString())
        .isEqualTo("[null,null,null,null,null,1]");
    assertThat(json.path("depth").path("delayed").path(5).asInt()).isEqualTo(1);
    assertThat(json.path("failing").path(5).asInt()).isEqualTo(1);
    assertThat(json.path("oldestReadySeconds").path(5).asDouble()).isEqualTo(1.5);
    assertThat(json.path("limiterWaiters").path(5).asInt()).isEqualTo(7);
  }

  @Test
  void throughput_isWhatEndedBetweenTwoSamples() {
    step();
    assertThat(view(1, 10).at("/throughput/success/5").isNull()).isTrue();
    demo.ended = new Ended(100, 20, 3, 50);
    step();
    demo.ended = new Ended(100, 20, 3, 60);
    step();
    JsonNode rates = view(1, 10).path("throughput");
    assertThat(rates.path("success").toString()).isEqualTo("[null,null,null,null,10.0,0.0]");
    assertThat(rates.path("requeueAfter").path(4).asDouble()).isEqualTo(2);
    assertThat(rates.path("requeue").path(4).asDouble()).isEqualTo(0.3);
    assertThat(rates.path("error").toString()).isEqualTo("[null,null,null,null,5.0,1.0]");
    assertThat(statistics.throughput("demo").minute()).isEqualTo((173 + 10) / 20.0);
  }

  @Test
  void aRestart_countsFromNothing_andNeverBackwards() {
    demo.ended = new Ended(1000, 0, 0, 0);
    step();
    demo.ended = new Ended(30, 0, 0, 0);
    demo.startedAt = time.instant().plusSeconds(5);
    step();
    assertThat(view(1, 10).at("/throughput/success/5").asDouble()).isEqualTo(3);
  }

  @Test
  void aWiderStep_showsTheLargestDepth_andTheMeanThroughput() {
    step();
    for (int i = 1; i <= 6; i++) {
      demo.ended = new Ended(i * 60L, 0, 0, 0);
      if (i == 3) {
        demo.put("a", "b", Phase.READY, 0, null);
      } else {
        demo.remove("YS9i");
      }
      step();
    }
    JsonNode json = view(1, 60);
    assertThat(json.at("/depth/ready").toString()).isEqualTo("[1]");
    assertThat(json.at("/throughput/success").toString()).isEqualTo("[6.0]");
  }

  @Test
  void missedSamples_areUnknown_andTheRingForgetsAfterAnHour() {
    demo.put("a", "b", Phase.READY, 0, null);
    step();
    time.advance(Duration.ofSeconds(30)); // a loop that was held up
    step();
    assertThat(view(1, 10).at("/depth/ready").toString()).isEqualTo("[null,1,null,null,null,1]");
    for (int i = 0; i < Series.SLOTS; i++) {
      demo.remove("YS9i");
      step();
    }
    JsonNode ready = view(60, 10).at("/depth/ready");
    assertThat(ready).hasSize(360).allMatch(point -> point.asInt(-1) == 0);
  }

  @Test
  void aControllerThatIsGone_isForgottenAfterAnHour() {
    demo.put("a", "b", Phase.READY, 0, null);
    step();
    directory.handles.clear();
    for (int i = 1; i < Series.SLOTS; i++) {
      step();
    }
    assertThat(view(60, 10).at("/depth/ready/0").asInt()).isEqualTo(1);
    step();
    assertThat(view(60, 10).at("/depth/ready")).allMatch(JsonNode::isNull);
  }

  private JsonNode all() {
    return Json.tree(statistics.viewAll(Duration.ofMinutes(1), STEP));
  }

  @Test
  void theSumOfAll_hasTheItemsOfEach_theLargestAge_andEachLimiterOnce() {
    try (FakeController other = new FakeController("other")) {
      directory.handles.put("other", other);
      other.startedAt = demo.startedAt;
      demo.put("a", "b", Phase.READY, 0, null);
      other.put("a", "c", Phase.READY, 0, null);
      other.put("a", "d", Phase.DELAYED, 1, "boom");
      directory.budgets.add(
          new BudgetSnapshot("default", "local", 10, 100, 1, 7, 0, 0, List.of("demo", "other")));
      step();
      demo.ended = new Ended(20, 0, 0, 10);
      other.ended = new Ended(30, 0, 0, 0);
      time.advance(Duration.ofSeconds(10));
      demo.put("a", "e", Phase.READY, 0, null); // younger than the ready item of the other one
      statistics.sample();
      JsonNode json = all();
      assertThat(json.path("kind").asText()).isEqualTo("ClusterStats");
      assertThat(json.has("controller")).isFalse();
      assertThat(json.at("/depth/ready/5").asInt()).isEqualTo(3);
      assertThat(json.at("/depth/delayed/5").asInt()).isEqualTo(1);
      assertThat(json.at("/failing/5").asInt()).isEqualTo(1);
      assertThat(json.at("/limiterWaiters/5").asInt()).isEqualTo(7);
      assertThat(json.at("/throughput/success/5").asDouble()).isEqualTo(5);
      assertThat(json.at("/throughput/error/5").asDouble()).isEqualTo(1);
      assertThat(json.at("/oldestReadySeconds/5").asDouble())
          .isEqualTo(
              Math.max(
                  view(1, 10).at("/oldestReadySeconds/5").asDouble(),
                  Json.tree(statistics.view("other", Duration.ofMinutes(1), STEP))
                      .at("/oldestReadySeconds/5")
                      .asDouble()));
      assertThat(json.path("limiterMode").asText()).isEqualTo("local");
    }
  }

  @Test
  void theSumOfAll_keepsWhatAControllerHadThatIsGone_andDoesNotCountItOn() {
    demo.put("a", "b", Phase.READY, 0, null);
    step();
    directory.handles.clear();
    step();
    assertThat(all().at("/depth/ready/4").asInt()).isEqualTo(1);
    assertThat(all().at("/depth/ready/5").isNull()).isTrue();
  }

  @Test
  void aSecondSampleInAStep_addsNothingToTheSum() {
    demo.put("a", "b", Phase.READY, 0, null);
    step();
    time.advance(Duration.ofSeconds(1));
    statistics.sample();
    assertThat(all().at("/depth/ready/5").asInt()).isEqualTo(1);
  }

  @Test
  void overHttp_theSumIsOneRequest_alsoWithoutControllers() {
    try (Api api = new Api()) {
      JsonNode json = api.get("/api/v1/stats?window=10m&step=1m").ok(200);
      assertThat(json.at("/depth/ready")).hasSize(10);
      api.get("/api/v1/stats?window=2h").problem(400, "invalid-query");
      api.get("/api/v1/stats?controller=demo").problem(400, "invalid-query");
    }
  }

  @Test
  void overHttp_theWindowIsAnHourOfTenSeconds() {
    try (Api api = new Api()) {
      JsonNode json = api.get(Api.DEMO + "/stats").ok(200);
      assertThat(json.path("window").asText()).isEqualTo("1h");
      assertThat(json.path("step").asText()).isEqualTo("10s");
      assertThat(json.at("/depth/ready")).hasSize(360);
      assertThat(json.at("/depth/ready/359").asInt(-1)).isZero();
      assertThat(api.get(Api.DEMO + "/stats?window=10m&step=1m").ok(200).path("points").asInt())
          .isEqualTo(10);
      assertThat(api.get(Api.DEMO).ok(200).path("throughput").has("5m")).isTrue();
      api.get("/api/v1/controllers/nobody/stats").problem(404, "controller-not-found");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"window=2h", "window=5s", "window=0", "step=15s", "step=x", "window=1m&step=50s"})
  void aBadWindow_isNamed(String query) {
    try (Api api = new Api()) {
      api.get(Api.DEMO + "/stats?" + query).problem(400, "invalid-query");
    }
  }
}
