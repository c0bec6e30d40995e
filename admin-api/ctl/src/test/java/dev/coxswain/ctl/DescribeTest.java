// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@code describe} shows all of one thing, and what cannot be read costs only its section. */
class DescribeTest {

  private static final String AUDIT = "GET /audit?controller=demo&limit=200";

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  DescribeTest() throws IOException {
    server.on(
        "GET /controllers/demo",
        200,
        """
        {"name":"demo","state":"running","ownership":"sharded","paused":true,\
        "pause":{"reason":"INC-1","since":"2026-11-20T09:58:00Z","until":"2026-11-20T10:08:00Z"},\
        "counts":{"ready":1,"delayed":2,"waitingToken":3,"inFlight":4,"terminal":5},"total":10,"failing":7,\
        "maxConcurrent":8,"activeWorkers":4,"options":{"limiter":"default"},\
        "pausedCauses":[{"cause":"5f2a91b0c3d4","reason":"INC-2","by":"anna","since":"2026-11-20T09:59:00Z","error":"down\\u001b[31m"}],\
        "conditions":[{"type":"sourceFailed","since":"2026-11-20T09:00:00Z","replica":"a","message":"no right"}],\
        "parts":[{"replica":"a","state":"running","counts":{"ready":1},"failing":7,"maxConcurrent":8,"activeWorkers":4}]}\
        """);
    server.on(
        "GET /limiters/default",
        200,
        """
        {"name":"default","mode":"hazelcast","source":"override","expiresAt":"2026-11-20T10:05:00Z",\
        "refillPerSecond":5.0,"capacity":20,"tokens":12.345678901,"waiters":3,"degraded":true,"degradedReason":"no quorum",\
        "parts":[{"replica":"a","mode":"hazelcast","tokens":0.987654321,"waiters":3}]}\
        """);
    server.on(
        "GET /slots?limit=1",
        200,
        """
        {"counts":{"owned":60,"draining":4,"free":0,"orphaned":0},\
        "shares":[{"replica":"a","slots":64,"open":60,"incoming":0,"drained":true}]}\
        """);
    server.on(
        "GET /controllers/demo/causes?limit=5",
        200,
        "{\"items\":[{\"id\":\"5f2a91b0c3d4\",\"items\":6,\"share\":0.857,\"failures\":31,\"error\":\"down\"}]}");
    server.on("GET /operations?controller=demo&state=Running", 200, "{\"items\":[]}");
  }

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void aController_isShownWithEverythingAboutIt() {
    server.on(
        AUDIT,
        200,
        """
        {"items":[{"at":"2026-11-20T09:58:00Z","stage":"outcome","actor":"anna","action":"pause","result":"applied","reason":"INC-1"},\
        {"at":"2026-11-20T09:58:00Z","stage":"intent","actor":"anna","action":"pause","reason":"INC-1"}]}\
        """);
    assertThat(ctl.run("describe", "controller", "demo")).isZero();
    assertThat(ctl.output())
        .contains(
            "State:         running,paused,sourceFailed\n",
            "Paused until:  2026-11-20T10:08:00.000Z (in 8m)\n",
            "Items:         10: ready 1, delayed 2, waiting 3, in flight 4\n",
            "Failing:       7 (terminal 5)\n",
            "Conditions:\n  TYPE           SINCE   REPLICA   MESSAGE\n  sourceFailed   60m     a         no right\n",
            "5f2a91b0c3d4   60s     never   anna   INC-2    down [31m\n",
            "Degraded:       no quorum\n",
            "Override ends:  2026-11-20T10:05:00.000Z (in 5m",
            "Slots (60 owned, 4 draining, 0 free, 0 orphaned):\n",
            "5f2a91b0c3d4   6       86%     31         <none>      <none>   down\n",
            "Operations under way:  <none>\n",
            "Last changes:\n  AGE",
            "pause    <none>   applied   INC-1\n")
        .doesNotContain("\u001b");
    assertThat(ctl.output().lines().filter(line -> line.contains("applied"))).hasSize(1);
  }

  @Test
  void whatMayNotBeRead_costsItsSectionOnly() {
    server.on(AUDIT, 403, "{\"title\":\"Forbidden\",\"detail\":\"list audit\"}");
    assertThat(ctl.run("describe", "controller/demo")).isZero();
    assertThat(ctl.output())
        .endsWith("Last changes:\n  Error from server (Forbidden): list audit\n")
        .contains("Top causes:\n");
  }

  @Test
  void aLimiter_isShownWithItsControllersAndItsOverride() {
    server.on(
        "GET /controllers",
        200,
        """
        {"items":[{"name":"demo","state":"running","options":{"limiter":"default"},"counts":{"waitingToken":3},"failing":7},\
        {"name":"other","state":"running","options":{"limiter":"slow"}}]}\
        """);
    server.on(
        "GET /audit?limit=200",
        200,
        """
        {"items":[{"at":"2026-11-20T09:58:00Z","stage":"outcome","action":"override-limiter","limiter":"default"},\
        {"at":"2026-11-20T09:58:00Z","stage":"outcome","action":"pause","controller":"demo"}]}\
        """);
    assertThat(ctl.run("describe", "limiter", "default")).isZero();
    assertThat(ctl.output())
        .contains(
            "Rate:           5.0/s\n",
            "Tokens:         12.3\n",
            " 1.0      3 ",
            "demo   running   3         7\n",
            "override-limiter")
        .doesNotContain("other", "pause");
  }

  @Test
  void aReplica_isShownWithItsControllersAndProblems() {
    server.on(
        "GET /replicas",
        200,
        """
        {"items":[{"replica":"a","state":"ok","drained":true,"slots":0,"version":"0.4.0",\
        "conditions":[{"type":"leaseLate","message":"late"}],"controllers":[{"name":"demo","state":"running"}]},\
        {"replica":"b","state":"ok"}]}\
        """);
    server.on(
        "GET /config",
        200,
        "{\"items\":[{\"replica\":\"a\",\"state\":\"rejected\",\"errors\":[\"line 3\"]},{\"replica\":\"b\",\"state\":\"current\"}]}");
    server.on(
        "GET /caches",
        200,
        "{\"items\":[{\"replica\":\"a\",\"name\":\"Pod\",\"synced\":false,\"phase\":\"listing\"},{\"replica\":\"b\",\"name\":\"Job\"}]}");
    server.on(
        "GET /audit?limit=200",
        200,
        """
        {"items":[{"at":"2026-11-20T09:58:00Z","stage":"outcome","action":"drain","change":"{\\"replica\\":\\"a\\"}"},\
        {"at":"2026-11-20T09:58:00Z","stage":"outcome","action":"undrain","change":"{\\"replica\\":\\"b\\"}"}]}\
        """);
    assertThat(ctl.run("describe", "replica", "a")).isZero();
    assertThat(ctl.output())
        .contains("Drained:  yes\n", "leaseLate", "Errors:  line 3", "Pod    listing", "drain ")
        .doesNotContain("Job", "undrain");
    assertThat(ctl.run("describe", "replica", "c")).isEqualTo(1);
    assertThat(ctl.errors()).startsWith("error: no replica \"c\", ");
    assertThat(ctl.run("describe", "item", "c")).isEqualTo(1);
    assertThat(ctl.errors()).contains("explain describes an item");
  }
}
