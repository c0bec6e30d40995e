// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@code wait} ends when the condition is fulfilled, or with 1 and what is missing at the time-out. */
class WaitTest {

  private static final String DEMO = "GET /controllers/demo";
  private static final String EXPLAIN = "GET /controllers/demo/items/c2hvcC9jYXJ0LTc/explain";
  private static final String PACE = "PT1S";

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server).whoseTimePasses();

  WaitTest() throws IOException {}

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void ready_isRunningOnEveryReplica_withoutStandingProblems() {
    server.on(DEMO, 503, "{\"title\":\"No owner\"}");
    server.on(DEMO, 200, "{\"name\":\"demo\",\"state\":\"syncing\"}");
    server.on(
        DEMO,
        200,
        """
        {"name":"demo","state":"running","parts":[{"replica":"a","state":"running"},\
        {"replica":"b","state":"syncing"}]}\
        """);
    server.on(
        DEMO,
        200,
        "{\"name\":\"demo\",\"state\":\"running\",\"conditions\":[{\"type\":\"sourceFailed\"}]}");
    server.on(
        DEMO,
        200,
        "{\"name\":\"demo\",\"state\":\"running\",\"partial\":true,\"replicas\":[{\"replica\":\"b\",\"state\":\"timeout\"}]}");
    server.on(
        DEMO,
        200,
        """
        {"name":"demo","state":"running","conditions":[],"parts":[{"replica":"a","state":"running"},\
        {"replica":"b","state":"standby"}]}\
        """);
    assertThat(ctl.run("wait", "controller/demo", "--for=condition=Ready")).isZero();
    assertThat(ctl.output()).isEqualTo("controller/demo condition met\n");
    assertThat(server.requests().stream().filter(DEMO::equals)).hasSize(6);
  }

  @Test
  void theTimeout_isAnErrorThatNamesWhatIsMissing_andThePaceIsBounded() {
    server.on(DEMO, 200, "{\"name\":\"demo\",\"state\":\"running\",\"paused\":false}");
    assertThat(ctl.run("wait", "controller/demo", "--for", "paused", "--timeout=3s")).isEqualTo(1);
    assertThat(ctl.errors())
        .isEqualTo(
            "error: timed out waiting for the condition paused on controller/demo: it is not paused\n");
    assertThat(ctl.output()).isEmpty();
    assertThat(ctl.waits()).hasSize(3).allMatch(wait -> wait.toString().equals(PACE));
    assertThat(ctl.run("wait", "controller", "demo", "--for=paused", "--timeout=0")).isEqualTo(1);
    assertThat(ctl.errors()).contains("condition paused not met on controller/demo: it is not");
    assertThat(ctl.waits()).isEmpty();
  }

  /** The fake clock stands still while the stream is awaited: only an event ends that. */
  @Test
  void anEvent_isReasonToReadAgain() {
    server.on(
        "GET /events?topics=controllers&controller=demo",
        new FakeAdminApi.Reply(
            200,
            Map.of("Content-Type", "text/event-stream"),
            "event: controller\ndata: {}\n\n",
            true));
    server.on(DEMO, 200, "{\"name\":\"demo\",\"total\":2,\"counts\":{\"ready\":2}}");
    server.on(DEMO, 200, "{\"name\":\"demo\",\"total\":0,\"counts\":{\"ready\":0}}");
    assertThat(ctl.run("wait", "controller/demo", "--for=empty", "-o", "name")).isZero();
    assertThat(ctl.output()).isEqualTo("controller/demo\n");
  }

  @Test
  void aPath_isComparedAsText_andMissingFieldsAreAwaited() {
    server.on(DEMO, 200, "{\"name\":\"demo\",\"counts\":{\"inFlight\":2}}");
    server.on(
        DEMO,
        200,
        "{\"name\":\"demo\",\"counts\":{\"inFlight\":0},\"pause\":{\"reason\":\"a=b\"}}");
    assertThat(ctl.run("wait", "controller/demo", "--for=jsonpath={.counts.inFlight}=0")).isZero();
    assertThat(ctl.run("wait", "controller/demo", "--for=jsonpath=.pause.reason=a=b")).isZero();
    assertThat(ctl.run("wait", "controller/demo", "--for=jsonpath={.pause}")).isZero();
    assertThat(ctl.run("wait", "controller/demo", "--for=jsonpath={.pause}=x")).isEqualTo(1);
    assertThat(ctl.errors()).contains(".pause is not one text, number or boolean");
    assertThat(ctl.run("wait", "controller/demo", "--for=jsonpath={.error}=x", "--timeout=1s"))
        .isEqualTo(1);
    assertThat(ctl.errors()).contains("on controller/demo: .error is missing");
  }

  @Test
  void anItem_isReconciled_whenItsLastAttemptWasASuccess_andNothingIsDue() {
    String failing = "{\"phase\":\"delayed\",\"failures\":2,\"failing\":true,\"lastError\":\"no\"}";
    explained("backoff", failing);
    explained("inFlight", "{\"phase\":\"inFlight\",\"failures\":0}");
    explained("notTracked", "null");
    explained("succeeded", "null");
    assertThat(wait("reconciled")).isZero();
    assertThat(ctl.output()).isEqualTo("item/shop/cart-7 condition met\n");
    assertThat(ctl.waits()).hasSize(3);
  }

  @Test
  void anItem_isFailing_orGone() {
    explained(
        "backoff", "{\"phase\":\"delayed\",\"failures\":2,\"failing\":true,\"lastError\":\"no\"}");
    assertThat(wait("failing")).isZero();
    assertThat(wait("gone")).isEqualTo(1);
    assertThat(ctl.errors())
        .contains(
            "the condition gone on item/shop/cart-7: reason is backoff, phase delayed, 2 failures, last error: no");
    explained("noOwner", "null");
    explained("dropped", "null");
    assertThat(wait("gone")).isZero();
  }

  @Test
  void whatCanNeverBeFulfilled_isAnErrorAtOnce() {
    assertThat(ctl.run("wait", "controller/demo")).isEqualTo(1);
    assertThat(ctl.errors()).contains("expected a condition: --for=ready");
    assertThat(ctl.run("wait", "controller/demo", "--for=redy")).isEqualTo(1);
    assertThat(ctl.errors()).contains("did you mean \"ready\"?");
    assertThat(ctl.run("wait", "item", "demo", "a", "--for=ready")).isEqualTo(1);
    assertThat(ctl.errors()).contains("unknown condition \"ready\" of items");
    assertThat(ctl.run("wait", "demo", "--for=ready")).isEqualTo(1);
    assertThat(ctl.errors()).contains("wait controller/NAME...", "found \"demo\"");
    assertThat(ctl.run("wait", "controller/demo", "--for=jsonpath={.a", "--timeout=0"))
        .isEqualTo(1);
    assertThat(server.received()).isEmpty();
    assertThat(ctl.run("wait", "controller/nope", "--for=ready")).isEqualTo(1);
    assertThat(ctl.errors()).startsWith("Error from server (Not found)");
    assertThat(ctl.waits()).isEmpty();
  }

  private int wait(String condition) {
    return ctl.run("wait", "item", "demo", "shop/cart-7", "--for=" + condition, "--timeout", "10s");
  }

  private void explained(String reason, String item) {
    server.on(
        EXPLAIN,
        200,
        "{\"controller\":\"demo\",\"reason\":\"%s\",\"item\":%s}".formatted(reason, item));
  }
}
