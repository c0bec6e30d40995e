// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.ctl.internal.print.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Changes of many items: counted, shown, confirmed, awaited. */
class BulkActionsTest {

  private static final String OPERATIONS = "POST /controllers/demo/operations";
  private static final String PREVIEW =
      """
      {"kind":"OperationPreview","controller":"demo","action":"flush","dryRun":true,"matched":312,"then":"relist",\
      "willRelist":310,"notRelisted":2,"byPhase":{"delayed":300,"waitingToken":12,"ready":0},\
      "byNamespace":{"":2,"payments":310},"sample":["payments/a","payments/b"],"itemsPerSecond":200,"asOfSeq":9,\
      "warnings":["12 items hold reservations"],"confirmToken":"ct_1x9"}\
      """;
  private static final String RUNNING =
      """
      {"kind":"Operation","id":"op-31","controller":"demo","action":"flush","state":"Running","matched":312,"done":7}\
      """;
  private static final String ENDED =
      """
      {"kind":"Operation","id":"op-31","controller":"demo","action":"flush","state":"%s","matched":312,"done":312,\
      "applied":310,"byResult":[{"result":"applied","count":310},{"result":"skipped","cause":"in flight","count":2}],\
      "relisted":308,"notRelisted":2}\
      """;

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  BulkActionsTest() throws IOException {}

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void flush_countsShowsPromptsAndWaits() {
    server.on(OPERATIONS, 200, PREVIEW).on(OPERATIONS, 202, RUNNING);
    server
        .on("GET /operations/op-31", 200, RUNNING)
        .on("GET /operations/op-31", 200, ENDED.formatted("Succeeded"));
    assertThat(ctl.typing("yes").run("flush", "demo", "-A", "--min-failures=5", "--reason=x"))
        .isZero();
    assertThat(ctl.errors())
        .startsWith(
            """
            Flush:         312 items of controller demo
            By phase:      delayed 300, waitingToken 12
            By namespace:  (none) 2, payments 310
            Such as:       payments/a, payments/b
            Then:          relist: 310 are added again, 2 are not
            Pace:          200 items per second
            Warning: 12 items hold reservations
            Flush 312 items of controller demo at %s? Type yes:\
            """
                    .formatted(server.url())
                + " ");
    assertThat(ctl.output())
        .isEqualTo(
            """
            operation/op-31 Succeeded: 310 of 312 items flushed
              2 skipped: in flight
              308 added again
              2 not added again: no such object
            """);
    List<String> bodies = server.received().stream().map(FakeAdminApi.Received::body).toList();
    assertThat(bodies.get(0))
        .isEqualTo("{\"action\":\"flush\",\"selector\":{\"minFailures\":5},\"dryRun\":true}");
    assertThat(bodies.get(1))
        .isEqualTo(
            "{\"action\":\"flush\",\"selector\":{\"minFailures\":5},\"confirmToken\":\"ct_1x9\",\"reason\":\"x\"}");
    assertThat(server.received().get(1).headers()).containsKey("idempotency-key");
    assertThat(ctl.waits()).isNotEmpty();
  }

  @Test
  void withoutAYes_nothingIsChanged() {
    server.on(OPERATIONS, 200, PREVIEW);
    assertThat(ctl.run("flush", "demo", "-A", "--failing")).isEqualTo(3);
    assertThat(ctl.errors()).contains("add --yes");
    assertThat(ctl.typing("no").run("flush", "demo", "-A", "--failing")).isEqualTo(3);
    assertThat(server.received()).allMatch(received -> received.body().contains("\"dryRun\":true"));
  }

  @Test
  void aDryRun_isAResult_andNeedsNeitherReasonNorYes() throws IOException {
    server.on(OPERATIONS, 200, PREVIEW);
    assertThat(ctl.run("flush", "demo", "-A", "--failing", "--dry-run")).isZero();
    assertThat(ctl.output()).startsWith("Flush:         312 items");
    assertThat(ctl.run("flush", "demo", "-A", "--failing", "--dry-run", "-ojson")).isZero();
    assertThat(Json.parse(ctl.output()).number("matched")).isEqualTo(312);
    assertThat(server.received()).allMatch(received -> received.body().contains("\"dryRun\":true"));
  }

  @Test
  void theStateAtTheEnd_isTheExitCode() {
    for (var end :
        List.of(
            List.of("Succeeded", 0),
            List.of("PartiallySucceeded", 2),
            List.of("Cancelled", 2),
            List.of("Failed", 1))) {
      try (FakeAdminApi one = new FakeAdminApi()) {
        one.on(OPERATIONS, 200, PREVIEW).on(OPERATIONS, 202, ENDED.formatted(end.getFirst()));
        assertThat(new CtlRunner(one).run("flush", "demo", "-A", "--all", "--reason=x", "--yes"))
            .as(end.toString())
            .isEqualTo(end.getLast());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Test
  void withoutWaiting_theOperationIsReported() {
    server.on(OPERATIONS, 200, PREVIEW).on(OPERATIONS, 202, RUNNING);
    assertThat(ctl.run("flush", "demo", "-A", "--all", "--reason=x", "--yes", "--wait=false"))
        .isZero();
    assertThat(ctl.output())
        .isEqualTo("operation/op-31 has begun to flush 312 items of controller demo\n");
  }

  @Test
  void partsOfReplicasThatFailed_areReported() {
    server.on(
        "GET /operations/op-31",
        200,
        ENDED
            .formatted("PartiallySucceeded")
            .replace(
                "\"relisted\"",
                "\"parts\":[{\"replica\":\"coxswain-1\",\"state\":\"Unknown\",\"detail\":\"no answer\"}],\"relisted\""));
    assertThat(ctl.run("operations", "wait", "op-31")).isEqualTo(2);
    assertThat(ctl.errors()).contains("replica coxswain-1: Unknown, no answer");
  }

  @Test
  void nothingThatMatches_isNoSuccess_butADryRunIs() {
    server.on(OPERATIONS, 200, "{\"matched\":0}");
    assertThat(ctl.run("flush", "demo", "--failing", "--reason=x", "--yes")).isEqualTo(1);
    assertThat(ctl.errors())
        .startsWith("No matching items of controller demo in namespace \"default\"");
    assertThat(server.received()).hasSize(1);
    assertThat(ctl.run("flush", "demo", "--failing", "--dry-run")).isZero();
  }

  @Test
  void everything_mustBeExplicit() {
    for (String line :
        new String[] {
          "flush demo",
          "flush demo -A",
          "flush demo --all --failing",
          "flush demo shop/cart-7",
          "retry demo",
          "requeue demo --all",
          "retry demo shop/cart-7 --failing --reason=x",
          "retry demo shop/cart-7 --max-affected=3 --reason=x",
          "forget demo --all --reschedule",
        }) {
      assertThat(ctl.run(line.split(" "))).as(line).isEqualTo(1);
    }
    assertThat(server.received()).isEmpty();
  }

  @Test
  void theRequest_hasTheFlags() {
    server.on(OPERATIONS, 200, PREVIEW);
    ctl.run(
        "flush",
        "demo",
        "-n",
        "payments",
        "--phase=delayed,waitingToken",
        "--name=cart-*",
        "--older-than=5m",
        "--error-class=TimeoutException",
        "--failing=false",
        "-l",
        "app=web,tier in (a,b),!legacy",
        "--then=none",
        "--keep-failures",
        "--drop-dirty",
        "--max-affected=400",
        "--items-per-second=50",
        "--dry-run");
    ctl.run("flush", "demo", "-A", "--all", "--dry-run");
    ctl.run("flush", "demo", "--all", "--dry-run");
    assertThat(server.received().stream().map(FakeAdminApi.Received::body))
        .containsExactly(
            "{\"action\":\"flush\",\"selector\":{\"namespace\":\"payments\",\"phase\":[\"delayed\",\"waitingToken\"],"
                + "\"failing\":false,\"name\":\"cart-*\",\"olderThan\":\"5m\",\"errorClass\":\"TimeoutException\","
                + "\"labelSelector\":\"app=web,tier in (a,b),!legacy\"},"
                + "\"maxAffected\":400,\"itemsPerSecond\":50,\"then\":\"none\",\"keepFailures\":true,\"dropDirty\":true,\"dryRun\":true}",
            "{\"action\":\"flush\",\"selector\":{},\"all\":true,\"dryRun\":true}",
            "{\"action\":\"flush\",\"selector\":{\"namespace\":\"default\"},\"dryRun\":true}");
  }

  @Test
  void operations_areListedAndStopped() {
    server.on("GET /operations?controller=demo", 200, "{\"items\":[" + RUNNING + "]}");
    server.on("DELETE /operations/op-31", 200, ENDED.formatted("Cancelled"));
    String ended = ENDED.formatted("Succeeded").replaceFirst("\\{", "{\"result\":\"skipped\",");
    server.on("DELETE /operations/op-31", 200, ended);
    assertThat(ctl.run("operations", "-c", "demo", "-o", "name")).isZero();
    assertThat(ctl.output()).isEqualTo("operation/op-31\n");
    assertThat(ctl.run("operations", "stop", "operation/op-31", "--reason=x")).isZero();
    assertThat(ctl.output()).isEqualTo("operation/op-31 stopped after 312 of 312 items\n");
    assertThat(ctl.run("operations", "stop", "op-31", "--reason=x")).isEqualTo(1);
    assertThat(ctl.output())
        .isEqualTo(
            "operation/op-31 not changed: it had ended (Succeeded) after 312 of 312 items\n");
    assertThat(ctl.run("operations", "stop")).isEqualTo(1);
  }

  /** The work of a retry goes on after its operation has ended: its items become due over a time. */
  @Test
  void anOperation_showsWhenItsLastItemIsDue() {
    String end = ",\"expectedEnd\":\"2026-11-20T10:05:00Z\"";
    server.on("GET /operations", 200, "{\"items\":[" + with(RUNNING, end) + "]}");
    assertThat(ctl.run("get", "operations")).isZero();
    assertThat(ctl.output()).contains("ENDS").containsPattern("in 5m");
    server.on("GET /operations/op-31", 200, with(ENDED.formatted("Succeeded"), end));
    assertThat(ctl.run("operations", "wait", "op-31")).isZero();
    assertThat(ctl.output()).contains("  the last is due at 2026-11-20T10:05:00.000Z (in 5m)\n");
  }

  private static String with(String operation, String more) {
    return operation.strip().substring(0, operation.strip().length() - 1) + more + "}";
  }
}
