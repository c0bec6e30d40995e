// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Event streams: reconnects, gaps, and missing replicas. */
class StreamsTest {

  private static final String EVENTS = "GET /events";
  private static final Map<String, String> SSE = Map.of("Content-Type", "text/event-stream");
  private static final String STATE =
      """
      event: controller
      data: {"controller":"demo","state":"running","counts":{"ready":0,"delayed":3,"waitingToken":0,"inFlight":1},"failing":3}

      id: e7-5
      event: synced
      data: {}

      """;

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  StreamsTest() throws IOException {}

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void events_endWhenEverythingWasShown() {
    server.on(EVENTS, new FakeAdminApi.Reply(200, SSE, STATE, false));
    assertThat(ctl.run("events")).isZero();
    assertThat(ctl.output())
        .isEqualTo(
            "2026-11-20T10:00:00Z  controller/demo  running  ready=0 delayed=3 waiting=0 inFlight=1 failing=3\n");
    assertThat(server.received().getFirst().headers()).doesNotContainKey("last-event-id");
  }

  @Test
  void watching_goesOnAfterTheLastEvent_whenTheConnectionIsLost() {
    server.on(EVENTS, new FakeAdminApi.Reply(200, SSE, STATE, true));
    server.on(
        EVENTS,
        new FakeAdminApi.Reply(
            200,
            SSE,
            """
            :hb

            id: e7-6
            event: limiter
            data: {"name":"default","mode":"local","tokens":1.5,"waiters":2,"granted":4,"denied":0}

            event: controller
            data: {"controller":"cut in the mid\
            """,
            true));
    server.on(EVENTS, new FakeAdminApi.Reply(403, Map.of(), "{\"title\":\"Forbidden\"}", false));
    assertThat(ctl.run("events", "-w", "-o", "json")).isEqualTo(1);
    assertThat(ctl.output())
        .isEqualTo(
            """
            {"event":"controller","data":{"controller":"demo","state":"running","counts":{"ready":0,"delayed":3,"waitingToken":0,"inFlight":1},"failing":3}}
            {"event":"limiter","data":{"name":"default","mode":"local","tokens":1.5,"waiters":2,"granted":4,"denied":0}}
            """);
    assertThat(server.received().stream().map(received -> received.headers().get("last-event-id")))
        .containsExactly(null, "e7-5", "e7-6");
    assertThat(ctl.errors()).contains("note: reconnecting: ", "Error from server (Forbidden)");
    assertThat(ctl.waits()).hasSize(2);
  }

  /** In {@code events -w | head -1} the reader is gone after a line. */
  @Test
  void watching_ends_whenThePipeIsClosed() {
    server.on(EVENTS, new FakeAdminApi.Reply(200, SSE, STATE, true));
    assertThat(ctl.whoseOutputFails("Broken pipe").run("events", "-w")).isEqualTo(141);
    assertThat(ctl.errors()).isEmpty();
    assertThat(server.received()).hasSize(1);
  }

  @Test
  void getWithWatch_addsALineForEachChange() {
    server.on(
        EVENTS + "?topics=controllers", new FakeAdminApi.Reply(200, SSE, STATE + STATE, true));
    server.on(EVENTS + "?topics=controllers", 403, "{\"title\":\"Forbidden\"}");
    server.on("GET /controllers/demo", 200, "{\"name\":\"demo\",\"state\":\"running\"}");
    server.on("GET /controllers/demo", 200, "{\"name\":\"demo\",\"state\":\"draining\"}");
    assertThat(ctl.run("get", "controllers", "-w")).isEqualTo(1);
    assertThat(ctl.output().lines().map(line -> line.split(" +", -1)[1]))
        .containsExactly("STATE", "running", "draining");
  }

  @Test
  void kindsWithoutEvents_cannotBeWatched_whateverElseIsGiven() {
    for (String line : List.of("slots", "slots a --sort-by=.name", "plugins", "audit")) {
      assertThat(ctl.run(("get -w " + line).split(" "))).isEqualTo(1);
      assertThat(ctl.errors())
          .startsWith("error: " + line.split(" ", 2)[0] + " cannot be watched; watch")
          .hasLineCount(1);
    }
    assertThat(ctl.run("get", "controllers", "demo", "-w")).isEqualTo(1);
    assertThat(ctl.errors()).contains("--watch takes no names");
    ctl.run("get", "--help");
    assertThat(ctl.output())
        .containsPattern("--watch +.* controllers, items, operations, limiters or replicas");
    assertThat(server.received()).isEmpty();
  }

  @Test
  void afterAReset_theOthersAreContinued() {
    String reset = "event: reset\ndata: {\"replica\":\"coxswain-1\"}\n\n";
    server.on(EVENTS, new FakeAdminApi.Reply(200, SSE, STATE + reset, true));
    server.on(
        EVENTS, new FakeAdminApi.Reply(401, Map.of(), "{\"title\":\"Unauthenticated\"}", false));
    assertThat(ctl.run("events", "-w")).isEqualTo(1);
    assertThat(server.received().getLast().headers()).containsEntry("last-event-id", "e7-5");
    assertThat(ctl.errors()).contains("events of replica coxswain-1 were missed");
  }

  private static String ofReplica(int replica, int ready) {
    return """
    event: controller
    data: {"replica":"coxswain-%d","controller":"demo","state":"running","counts":{"ready":%d}}

    """
        .formatted(replica, ready);
  }

  private static String partial(String state) {
    return """
    event: partial
    data: {"partial":true,"replicas":[{"replica":"coxswain-1","state":"%s"}]}

    """
        .formatted(state);
  }

  private static final String END = "event: synced\ndata: {}\n\n";

  @Test
  void wideEvents_nameTheirReplica_andoneCanBeSelected() {
    server.on(
        EVENTS + "?replica=coxswain-1",
        new FakeAdminApi.Reply(200, SSE, ofReplica(1, 7) + END, false));
    assertThat(ctl.run("events", "-o", "wide", "--replica", "coxswain-1")).isZero();
    assertThat(ctl.output()).contains("Z  coxswain-1  controller/demo  running  ready=7");
  }

  @Test
  void aMissingReplica_isReported_onceEachTime() {
    String text = partial("unreachable") + partial("timeout") + partial("ok") + END;
    server.on(EVENTS, new FakeAdminApi.Reply(200, SSE, text, false));
    assertThat(ctl.run("events")).isZero();
    assertThat(ctl.output()).isEmpty();
    assertThat(ctl.errors())
        .containsOnlyOnce("no events from replica coxswain-1: unreachable")
        .containsOnlyOnce("receiving events from all replicas again")
        .doesNotContain("timeout");
    server.on(
        EVENTS + "?topics=limiters",
        new FakeAdminApi.Reply(200, SSE, partial("refused") + END, false));
    assertThat(ctl.run("events", "--topics", "limiters", "-o", "json")).isEqualTo(2);
    assertThat(ctl.output()).contains("{\"event\":\"partial\",\"data\":{");
  }

  private static String partial(String... namesAndStates) {
    StringBuilder replicas = new StringBuilder();
    for (int i = 0; i < namesAndStates.length; i += 2) {
      replicas
          .append(i == 0 ? "" : ",")
          .append(
              "{\"replica\":\"%s\",\"state\":\"%s\"}"
                  .formatted(namesAndStates[i], namesAndStates[i + 1]));
    }
    return "event: partial\ndata: {\"replicas\":[" + replicas + "]}\n\n";
  }

  /** A replica that has died does not come back; the others remove it after a while. */
  @Test
  void aReplicaThatIsNamedNoMore_hasLeft_andIsNotHeardAgain() {
    String text =
        partial("a", "ok", "b", "unreachable", "c", "unreachable")
            + partial("a", "ok", "c", "unreachable")
            + END;
    server.on(EVENTS, new FakeAdminApi.Reply(200, SSE, text, false));
    assertThat(ctl.run("events")).isEqualTo(2); // the other one is still missing
    assertThat(ctl.errors().lines())
        .containsExactly(
            "warning: no events from replica b: unreachable",
            "warning: no events from replica c: unreachable",
            "note: replica b has left");
    String watch = EVENTS + "?topics=limiters";
    server.on(
        watch,
        new FakeAdminApi.Reply(
            200, SSE, partial("a", "ok", "b", "timeout") + partial("a", "ok") + END, false));
    assertThat(ctl.run("events", "--topics", "limiters")).isZero();
    assertThat(ctl.errors().lines())
        .containsExactly("warning: no events from replica b: timeout", "note: replica b has left");
    String both = EVENTS + "?topics=replicas";
    server.on(
        both, new FakeAdminApi.Reply(200, SSE, text + partial("a", "ok", "c", "ok") + END, true));
    server.on(both, 403, "{\"title\":\"Forbidden\"}");
    ctl.run("events", "-w", "--topics", "replicas");
    assertThat(ctl.errors().lines().skip(2).limit(2))
        .containsExactly(
            "note: replica b has left", "note: receiving events from all replicas again");
  }

  /** Or who has written the name of a thing would believe that it is shown. */
  @Test
  void events_takeNoNames() {
    assertThat(ctl.run("events", "nope")).isEqualTo(1);
    assertThat(ctl.errors()).startsWith("error: events takes no names, found \"nope\"");
    assertThat(server.received()).isEmpty();
  }

  @Test
  void getWithWatch_showsWhatseveralReplicasReport_asOneLine() {
    server.on(
        EVENTS + "?topics=controllers",
        new FakeAdminApi.Reply(200, SSE, ofReplica(0, 1) + ofReplica(1, 2) + END, true));
    server.on(EVENTS + "?topics=controllers", 403, "{\"title\":\"Forbidden\"}");
    server.on("GET /controllers/demo", 200, "{\"name\":\"demo\",\"state\":\"running\"}");
    assertThat(ctl.run("get", "controllers", "-w")).isEqualTo(1);
    assertThat(ctl.output().lines()).hasSize(2); // with the head
  }

  private static String changes(int controllers) {
    StringBuilder changes = new StringBuilder();
    for (int i = 0; i < controllers; i++) {
      changes.append(ofReplica(0, 1).replace("demo", "c" + i));
    }
    return changes.toString();
  }

  private static String replica(int replica, String state) {
    return "{\"replica\":\"coxswain-%d\",\"state\":\"%s\",\"version\":\"0.4.0\"}"
        .formatted(replica, state);
  }

  /** The stream reports a change of the replicas, without all columns of a line. */
  @Test
  void getMembersWithWatch_addsALineForEachReplicaThatHasChanged() {
    String replicas = "event: replicas\ndata: {\"items\":[{\"name\":\"coxswain-0\"}]}\n\n";
    String watch = EVENTS + "?topics=replicas";
    server.on(watch, new FakeAdminApi.Reply(200, SSE, replicas + partial("ok") + END, true));
    server.on(watch, new FakeAdminApi.Reply(200, SSE, partial("unreachable") + END, true));
    server.on(watch, new FakeAdminApi.Reply(200, SSE, replicas + END, true));
    server.on(watch, 403, "{\"title\":\"Forbidden\"}");
    String list = "{\"kind\":\"ReplicaList\",\"partial\":%s,\"items\":[%s]}";
    server.on(
        "GET /replicas", 200, list.formatted(false, replica(0, "ok") + "," + replica(1, "ok")));
    server.on(
        "GET /replicas",
        200,
        list.formatted(true, replica(0, "ok") + "," + replica(1, "unreachable")));
    server.on(
        "GET /replicas", 200, list.formatted(false, replica(0, "ok") + "," + replica(2, "ok")));
    assertThat(ctl.run("get", "replicas", "-w")).isEqualTo(1);
    assertThat(ctl.output().lines().map(line -> line.replaceFirst(" +<none>.*| +AGE", "")))
        .containsExactly(
            "NAME         STATE   SLOTS    LEASE    VERSION   CONTROLLERS",
            "coxswain-0   ok",
            "coxswain-1   ok",
            "coxswain-1   unreachable",
            "coxswain-2   ok");
    assertThat(server.requests().stream().filter("GET /replicas"::equals)).hasSize(3);
    assertThat(ctl.errors()).containsOnlyOnce("coxswain-1"); // by the stream alone
  }

  /** A caller has only so many requests a second. */
  @Test
  void getWithWatch_readsOneList_whenMoreThanAFewHaveChanged() {
    server.on(
        EVENTS + "?topics=controllers", new FakeAdminApi.Reply(200, SSE, changes(6) + END, true));
    server.on(
        EVENTS + "?topics=controllers", new FakeAdminApi.Reply(200, SSE, changes(5) + END, true));
    server.on(EVENTS + "?topics=controllers", 403, "{\"title\":\"Forbidden\"}");
    StringBuilder list = new StringBuilder("{\"name\":\"unchanged\"}");
    for (int i = 0; i < 6; i++) {
      server.on("GET /controllers/c" + i, 200, "{\"name\":\"c" + i + "\"}");
      list.append(",{\"name\":\"c").append(i).append("\"}");
    }
    server.on("GET /controllers", 200, "{\"items\":[" + list + "]}");
    assertThat(ctl.run("get", "controllers", "-w", "-o", "name", "--sort-by", ".name"))
        .isEqualTo(1);
    assertThat(ctl.output().replace("controller/", "").lines())
        .containsExactly("c0", "c1", "c2", "c3", "c4", "c5", "c0", "c1", "c2", "c3", "c4");
    assertThat(server.requests().stream().filter(what -> what.contains("/controllers")))
        .containsExactly(
            "GET /controllers",
            "GET /controllers/c0",
            "GET /controllers/c1",
            "GET /controllers/c2",
            "GET /controllers/c3",
            "GET /controllers/c4");
    assertThat(ctl.errors()).contains("warning: --sort-by is ignored with --watch");
  }

  @Test
  void whatCannotBeListenedToAtAll_isAnErrorAtOnce() {
    CtlRunner lost =
        new CtlRunner().with("COXSWAIN_SERVER", "http://127.0.0.1:1").with("COXSWAIN_TOKEN", "t");
    assertThat(lost.run("events", "-w")).isEqualTo(1);
    assertThat(lost.waits()).isEmpty();
    assertThat(ctl.run("events", "-o", "yaml")).isEqualTo(1);
  }
}
