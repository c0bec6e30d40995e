// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The slots of a host, and the drain of a replica. */
class SlotsTest {

  private static final String DRAIN = "/replicas/coxswain-1/drain";
  private static final String LIST =
      """
      {"kind":"SlotList","partial":false,"replicas":[],"count":2,"items":[\
      {"slot":4,"state":"draining","epoch":14,"owner":"coxswain-1","ownerIdentity":"coxswain-1_a",\
      "target":"coxswain-2","targetIdentity":"coxswain-2_b","stage":"closing","targetStage":"incoming"},\
      {"slot":17,"state":"free","epoch":9}]}\
      """;

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  SlotsTest() throws IOException {}

  @AfterEach
  void close() {
    server.close();
  }

  private static String drained(int slots, String result) {
    return "{\"kind\":\"DrainResult\",\"replica\":\"coxswain-1\",\"result\":\"%s\",\"drained\":true,\"slots\":%s}"
        .formatted(result, slots);
  }

  private static String replicas(int slots, boolean drained) {
    return "{\"items\":[{\"replica\":\"coxswain-0\",\"slots\":40},{\"replica\":\"coxswain-1\",\"drained\":%s,\"slots\":%s}]}"
        .formatted(drained, slots);
  }

  @Test
  void slots_areListed_filteredAndShownByNumber() {
    server.on("GET /slots", 200, LIST);
    assertThat(ctl.run("get", "slots")).isZero();
    assertThat(ctl.output())
        .isEqualTo(
            """
            SLOT   STATE      OWNER        EPOCH   TARGET
            4      draining   coxswain-1   14      coxswain-2
            17     free       <none>       9       <none>
            """);
    assertThat(ctl.run("get", "slots", "-o", "wide")).isZero();
    assertThat(ctl.output()).contains("closing", "incoming", "coxswain-1_a", "coxswain-2_b");
    assertThat(ctl.run("get", "slots", "-o", "name")).isZero();
    assertThat(ctl.output()).isEqualTo("slot/4\nslot/17\n");
    assertThat(ctl.run("get", "slot", "17", "-o", "name")).isZero();
    assertThat(ctl.output()).isEqualTo("slot/17\n");
    assertThat(ctl.run("get", "slot", "99")).isEqualTo(1);
    assertThat(ctl.errors()).contains("slot/99: no such slot");
    server.on("GET /slots?owner=coxswain-1&state=draining%2Cfree", 200, LIST);
    assertThat(ctl.run("get", "slots", "--owner", "replica/coxswain-1", "--state=draining,free"))
        .isZero();
    assertThat(ctl.run("get", "slots", "-w")).isEqualTo(1);
    assertThat(ctl.errors()).contains("slots cannot be watched");
  }

  @Test
  void aDrain_showsHowManySlotsAreLeft_untilThereAreNone() {
    server.on("POST " + DRAIN, 200, drained(21, "applied"));
    server.on("GET /replicas", 200, replicas(21, true));
    server.on("GET /replicas", 200, replicas(3, true));
    server.on("GET /replicas", 200, replicas(1, true));
    server.on("GET /replicas", 200, replicas(0, true));
    assertThat(ctl.run("drain", "replica/coxswain-1", "--reason=node")).isZero();
    assertThat(ctl.errors())
        .containsSubsequence(
            "replica/coxswain-1 draining, 21 slots left",
            "replica/coxswain-1 draining, 3 slots left",
            "replica/coxswain-1 draining, 1 slot left");
    assertThat(ctl.output()).isEqualTo("replica/coxswain-1 drained\n");
    assertThat(ctl.waits()).hasSize(4).containsOnly(Duration.ofSeconds(1));
    assertThat(server.received().getFirst().body()).isEqualTo("{\"reason\":\"node\"}");
  }

  @Test
  void aDrain_needNotWait_andIsUndone() {
    server.on("POST " + DRAIN, 200, drained(21, "applied"));
    server.on("DELETE " + DRAIN, 200, drained(0, "applied"));
    server.on("DELETE " + DRAIN, 200, drained(0, "skipped"));
    assertThat(ctl.run("drain", "coxswain-1", "--wait=false", "--reason=x", "--force")).isZero();
    assertThat(ctl.output()).isEqualTo("replica/coxswain-1 draining, 21 slots left\n");
    assertThat(server.received().getLast().body()).isEqualTo("{\"reason\":\"x\",\"force\":true}");
    assertThat(ctl.run("drain", "coxswain-1", "--undo", "--reason=x")).isZero();
    assertThat(ctl.output()).isEqualTo("replica/coxswain-1 may have slots again\n");
    assertThat(ctl.run("drain", "coxswain-1", "--undo", "--reason=x")).isEqualTo(1);
    assertThat(ctl.output()).isEqualTo("replica/coxswain-1 is not drained\n");
    assertThat(ctl.run("drain", "coxswain-1", "--undo", "--force", "--reason=x")).isEqualTo(1);
    assertThat(ctl.run("drain")).isEqualTo(1);
    assertThat(ctl.errors()).contains("drain REPLICA...");
  }

  @Test
  void aReplicaThatHasLeft_isDrained_andOneThatIsUndoneMeanwhile_isAnError() {
    server.on("POST " + DRAIN, 200, drained(21, "applied"));
    server.on("GET /replicas", 200, "{\"items\":[{\"replica\":\"coxswain-0\",\"slots\":64}]}");
    assertThat(ctl.run("drain", "coxswain-1", "--reason=x")).isZero();
    assertThat(ctl.output()).isEqualTo("replica/coxswain-1 drained\n");
    server.on("GET /replicas", 200, replicas(20, false));
    ctl.run("drain", "coxswain-1", "--reason=x"); // uses up the answer before
    assertThat(ctl.run("drain", "coxswain-1", "--reason=x")).isEqualTo(1);
    assertThat(ctl.errors()).contains("may have slots again");
  }

  @Test
  void aRefusal_isReportedInTheWordsOfTheServer() {
    server.on(
        "POST " + DRAIN,
        409,
        "{\"type\":\"https://coxswain.dev/problems/last-replica\",\"title\":\"No other replica\",\"status\":409,\"detail\":\"no other replica can take the slots\"}");
    assertThat(ctl.run("drain", "coxswain-1", "--reason=x")).isEqualTo(1);
    assertThat(ctl.errors())
        .isEqualTo("Error from server (No other replica): no other replica can take the slots\n");
  }

  @Test
  void anExplanation_namesTheSlotAndItsOwner() {
    server.on(
        "GET /controllers/demo/items/c2hvcC9jYXJ0LTc/explain",
        200,
        """
        {"controller":"demo","key":{"namespace":"shop","name":"cart-7"},"reason":"noOwner","message":"m",\
        "conditions":[],"slot":{"slot":4,"state":"orphaned","epoch":14,"owner":"coxswain-1"}}\
        """);
    assertThat(ctl.run("explain", "demo", "shop/cart-7")).isZero();
    assertThat(ctl.output()).contains("4 (orphaned, owner coxswain-1, epoch 14)\n");
  }

  @Test
  void replicas_showTheirSlots() {
    server.on(
        "GET /replicas",
        200,
        "{\"items\":[{\"replica\":\"coxswain-1\",\"state\":\"ok\",\"ordinal\":1,\"slots\":21,\"weight\":0,\"drained\":true}]}");
    assertThat(ctl.run("replicas")).isZero();
    assertThat(ctl.output()).contains("SLOTS").containsPattern("coxswain-1 +ok,drained +21 +1");
  }

  private void shares(String problem) {
    server.on(
        "GET /slots",
        200,
        "{\"count\":64,\"items\":[],\"shares\":[{\"replica\":\"coxswain-0\"}"
            + (problem.isEmpty()
                ? ""
                : ",{\"replica\":\"coxswain-1\",\"problem\":\"" + problem + "\"}")
            + "]}");
  }

  @Test
  void aReset_showsWhatReplicasReport_isConfirmed_andNeedsAReason() {
    shares("the slot map is older than one that was read");
    server.on("DELETE /slots", 200, "{\"kind\":\"SlotResetResult\",\"result\":\"applied\"}");
    assertThat(ctl.run("slots", "reset", "--reason=an old copy")).isEqualTo(3);
    assertThat(ctl.errors())
        .contains("coxswain-1: the slot map is older than one that was read", "add --yes");
    assertThat(server.requests()).noneMatch(request -> request.startsWith("DELETE"));
    assertThat(ctl.run("slots", "reset", "--yes", "--reason=an old copy")).isZero();
    assertThat(ctl.output()).isEqualTo("slots reset\n");
    assertThat(ctl.run("slots", "reset", "--yes")).isEqualTo(1);
    assertThat(ctl.run("slots", "reset", "x", "--yes", "--reason=x")).isEqualTo(1);
    assertThat(ctl.run("slots", "get", "--force")).isEqualTo(1);
  }

  @Test
  void aResetOfAMapThatIsAccepted_isReportedInTheWordsOfTheServer() {
    shares("");
    server.on(
        "DELETE /slots",
        409,
        "{\"type\":\"https://coxswain.dev/problems/slot-map-accepted\",\"title\":\"Slot map accepted\",\"status\":409,\"detail\":\"replica accepts it\"}");
    assertThat(ctl.run("slots", "reset", "--yes", "--reason=x")).isEqualTo(1);
    assertThat(ctl.errors())
        .contains("no replica reports a problem", "Slot map accepted", "replica accepts it");
  }

  /** To repeat the command is how to wait for a drain that goes on. */
  @Test
  void aReplicaThatIsDrainedAlready_isNotCalledChanged_unlessItWasWaitedFor() {
    server.on("POST " + DRAIN, 200, drained(0, "skipped"));
    server.on("POST " + DRAIN, 200, drained(3, "skipped"));
    assertThat(ctl.run("drain", "coxswain-1", "--reason=x")).isEqualTo(1);
    assertThat(ctl.output()).isEqualTo("replica/coxswain-1 is drained already\n");
    server.on("GET /replicas", 200, replicas(0, true));
    assertThat(ctl.run("drain", "coxswain-1", "--reason=x")).isZero();
    assertThat(ctl.output()).isEqualTo("replica/coxswain-1 drained\n");
    assertThat(ctl.run("drain", "coxswain-1", "--wait=false", "--reason=x")).isEqualTo(1);
    assertThat(ctl.output()).isEqualTo("replica/coxswain-1 is drained already, 3 slots left\n");
  }
}
