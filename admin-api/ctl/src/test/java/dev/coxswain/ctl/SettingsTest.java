// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is set while the host runs: rates of limiters, attempts at once of controllers. */
class SettingsTest {

  private static final String CONTROLLER =
      "{\"kind\":\"Controller\",\"name\":\"demo\",\"maxConcurrent\":1,\"parts\":[%s]}";
  private static final String PART = "{\"replica\":\"coxswain-0\"}";
  private static final String SCALE = "PUT /controllers/demo/scale";

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  SettingsTest() throws IOException {}

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void aLimiter_isSetForAWhile_andTheConfigurationHoldsAgain() {
    server.on(
        "PUT /limiters/default/override",
        200,
        "{\"refillPerSecond\":0.5,\"capacity\":10,\"expiresAt\":\"2026-11-20T10:15:00Z\"}");
    server.on(
        "DELETE /limiters/default/override", 200, "{\"refillPerSecond\":10.0,\"capacity\":100}");
    assertThat(
            ctl.run(
                "limiters",
                "set",
                "default",
                "--rate=0.5",
                "--burst=10",
                "--ttl=15m",
                "--reason=slow"))
        .isZero();
    assertThat(ctl.output())
        .isEqualTo(
            "limiter/default set to 0.5 retries per second, burst 10, until"
                + " 2026-11-20T10:15:00.000Z (in 15m)\n");
    assertThat(ctl.run("limiters", "reset", "limiter/default", "--reason=well")).isZero();
    assertThat(ctl.output())
        .isEqualTo("limiter/default reset to 10.0 retries per second, burst 100\n");
    assertThat(server.received().stream().map(FakeAdminApi.Received::body))
        .containsExactly(
            "{\"rate\":0.5,\"burst\":10,\"ttl\":\"15m\",\"reason\":\"slow\"}",
            "{\"reason\":\"well\"}");
    assertThat(server.received())
        .allSatisfy(received ->
            assertThat(received.headers())
                .containsEntry("authorization", "Bearer " + CtlRunner.TOKEN)
                .containsEntry("content-type", "application/json")
                .containsKey("idempotency-key"));
  }

  @Test
  void whatASettingLacks_isReportedBeforeAnyRequest() {
    assertThat(ctl.run("limiters", "set", "default", "--ttl=15m", "--reason=x")).isEqualTo(1);
    assertThat(ctl.errors()).contains("needs --rate, --burst or both");
    assertThat(ctl.run("limiters", "set", "default", "--rate=1", "--reason=x")).isEqualTo(1);
    assertThat(ctl.errors()).contains("needs --ttl");
    for (String rate : new String[] {"0", "-1", "fast", ""}) {
      assertThat(ctl.run("limiters", "set", "a", "--rate=" + rate, "--ttl=1m", "--reason=x"))
          .isEqualTo(1);
      assertThat(ctl.errors()).contains("expected retries per second");
    }
    assertThat(ctl.run("limiters", "set", "--rate=1", "--ttl=15m", "--reason=x")).isEqualTo(1);
    assertThat(ctl.run("limiters", "default", "--rate=1")).isEqualTo(1);
    assertThat(ctl.errors()).contains("--rate is for limiters set");
    assertThat(ctl.run("limiters", "reset", "default", "--ttl=1m", "--reason=x")).isEqualTo(1);
    assertThat(ctl.run("scale", "demo", "--reason=x")).isEqualTo(1);
    assertThat(ctl.errors()).contains("scale needs --max-concurrent");
    assertThat(ctl.run("scale", "demo", "--max-concurrent=0", "--reason=x")).isEqualTo(1);
    assertThat(server.received()).isEmpty();
  }

  @Test
  void aController_isScaled_whenItIsStillWhatWasSeen() {
    seen(PART);
    server.on(SCALE, 200, CONTROLLER.formatted(PART));
    assertThat(ctl.run("scale", "demo", "--max-concurrent=4", "--reason=x")).isZero();
    assertThat(ctl.output()).isEqualTo("controller/demo scaled from 1 to 4\n");
    assertThat(server.received().getLast().headers()).containsEntry("if-match", "\"r7\"");
    assertThat(server.received().getLast().body())
        .isEqualTo("{\"maxConcurrent\":4,\"reason\":\"x\"}");
  }

  @Test
  void aSettingThatIsInForceAlready_isNotCalledChanged() {
    String skipped = "{\"result\":\"skipped\",\"detail\":\"it is so already\"}";
    seen(PART);
    server.on(SCALE, 200, skipped);
    server.on("PUT /limiters/default/override", 200, skipped);
    server.on("DELETE /limiters/default/override", 200, skipped);
    assertThat(ctl.run("scale", "demo", "--max-concurrent=1", "--reason=x")).isEqualTo(1);
    assertThat(ctl.output()).isEqualTo("controller/demo not changed: it is so already\n");
    assertThat(ctl.run("limiters", "set", "default", "--rate=1", "--ttl=5m", "--reason=x"))
        .isEqualTo(1);
    assertThat(ctl.output()).isEqualTo("limiter/default not changed: it is so already\n");
    assertThat(ctl.run("limiters", "reset", "default", "--reason=x")).isEqualTo(1);
    assertThat(ctl.output()).isEqualTo("limiter/default not changed: it is so already\n");
  }

  /** Each of them has revisions of its own, and the host refuses one for all. */
  @Test
  void whereSeveralReplicasRunIt_noRevisionIsNamed() {
    seen(PART + "," + PART);
    server.on(SCALE, 200, CONTROLLER.formatted(PART));
    assertThat(ctl.run("scale", "demo", "--max-concurrent=4", "--reason=x")).isZero();
    assertThat(server.received().getLast().headers()).doesNotContainKey("if-match");
  }

  @Test
  void aControllerThatIsNotAsExpected_isNotChanged() {
    seen(PART);
    assertThat(
            ctl.run(
                "scale", "demo", "--current-max-concurrent=3", "--max-concurrent=4", "--reason=x"))
        .isEqualTo(1);
    assertThat(ctl.errors())
        .isEqualTo(
            "error: controller/demo: expected max-concurrent 3, found 1; nothing was changed\n");
    assertThat(server.requests()).containsExactly("GET /controllers/demo");
    server.on(
        SCALE,
        412,
        "{\"title\":\"Controller changed\",\"detail\":\"its settings have changed since you read"
            + " them\"}");
    assertThat(ctl.run("scale", "demo", "--max-concurrent=4", "--reason=x")).isEqualTo(1);
    assertThat(ctl.errors())
        .isEqualTo(
            "Error from server (Controller changed): its settings have changed since you read them\n");
  }

  @Test
  void aSettingWithoutAnAnswer_isReportedAsUnknown() {
    server.on(
        "PUT /limiters/default/override",
        new FakeAdminApi.Reply(200, Map.of(), "{\"kind\":\"Lim", true));
    assertThat(ctl.run("limiters", "set", "default", "--rate=1", "--ttl=5m", "--reason=x"))
        .isEqualTo(1);
    assertThat(ctl.errors()).contains("the change may have been made");
    assertThat(server.received()).hasSize(1);
    assertThat(
            ctl.run(
                "limiters",
                "set",
                "default",
                "--rate=1",
                "--ttl=5m",
                "--reason=x",
                "--server=http://127.0.0.1:1"))
        .isEqualTo(1);
    assertThat(ctl.errors()).contains("cannot be reached").doesNotContain("not known");
  }

  @Test
  void oneReplica_isSelectedInEveryRequest() {
    server.on("GET /controllers/demo?replica=coxswain-1", 200, CONTROLLER.formatted(PART));
    server.on(SCALE + "?replica=coxswain-1", 200, CONTROLLER.formatted(PART));
    assertThat(
            ctl.run(
                "scale",
                "demo",
                "--max-concurrent=2",
                "--reason=x",
                "--replica=replica/coxswain-1"))
        .isZero();
    server.on("GET /controllers/demo/items?failing=true&limit=500&scope=local", 200, "{}");
    assertThat(ctl.run("get", "items", "demo", "-A", "--failing", "--scope=local")).isZero();
    assertThat(ctl.run("get", "items", "demo", "--scope=here")).isEqualTo(1);
    assertThat(ctl.errors()).contains("unknown value \"here\"", "cluster, local");
    assertThat(ctl.run("get", "items", "demo", "--scope=local", "--replica=a")).isEqualTo(1);
  }

  @Test
  void aReplica_isShownByItsName() {
    server.on(
        "GET /replicas",
        200,
        "{\"items\":[{\"replica\":\"coxswain-0\",\"state\":\"ok\"},{\"replica\":\"coxswain-1\",\"state\":\"timeout\"}]}");
    assertThat(ctl.run("replicas", "coxswain-1", "--no-headers")).isZero();
    assertThat(ctl.output()).startsWith("coxswain-1   timeout");
    assertThat(ctl.run("replicas", "coxswain-7", "coxswain-0", "-o", "name")).isEqualTo(1);
    assertThat(ctl.output()).isEqualTo("replica/coxswain-0\n");
    assertThat(ctl.errors()).isEqualTo("replica/coxswain-7: no such replica\n");
  }

  private void seen(String parts) {
    server.on(
        "GET /controllers/demo",
        new FakeAdminApi.Reply(200, Map.of("ETag", "\"r7\""), CONTROLLER.formatted(parts), false));
  }
}
