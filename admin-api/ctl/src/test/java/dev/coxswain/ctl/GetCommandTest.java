// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.ctl.internal.print.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is shown, in each format. */
class GetCommandTest {

  private static final String DEMO =
      """
      {"kind":"Controller","name":"demo","replica":"coxswain-0","state":"running","paused":true,\
      "counts":{"ready":1,"delayed":20,"waitingToken":3,"inFlight":2},"total":26,"failing":23,\
      "maxConcurrent":4,"activeWorkers":2,"oldestReadySeconds":65.2,"longestInFlightSeconds":0.5,\
      "startedAt":"2026-11-20T06:00:00Z","throughput":{"1m":1.5,"5m":null,"1h":0.25},\
      "options":{"limiter":"default","ownership":"leader"},"sources":[]}\
      """;
  private static final String FAILED =
      """
      {"kind":"Controller","name":"broken","replica":"coxswain-0","state":"failed","error":"no such\\ntype"}\
      """;
  private static final String ITEM =
      """
      {"id":"eA","key":{"namespace":"shop","name":"%s"},"phase":"delayed","failures":9,"failing":true,"dirty":false,\
      "overdue":false,"priority":0,"trigger":"retry","readyAt":"2026-11-20T10:02:11Z","lastError":"no answer","seq":1,"rev":"17"}\
      """;

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  GetCommandTest() throws IOException {}

  @BeforeEach
  void answer() {
    server.on(
        "GET /controllers",
        200,
        "{\"kind\":\"ControllerList\",\"replica\":\"coxswain-0\",\"items\":[%s,%s]}"
            .formatted(DEMO, FAILED));
    server.on("GET /controllers/demo", 200, DEMO);
    server.on(
        "GET /controllers/demo/items?namespace=default&limit=500",
        200,
        "{\"kind\":\"ItemList\",\"controller\":\"demo\",\"asOfSeq\":9,\"items\":[]}");
    server.on(
        "GET /controllers/demo/items?failing=true&limit=500",
        200,
        "{\"kind\":\"ItemList\",\"controller\":\"demo\",\"asOfSeq\":9,\"items\":[%s],\"continue\":\"c1\"}"
            .formatted(ITEM.formatted("cart-7")));
    server.on(
        "GET /controllers/demo/items?failing=true&limit=500&continue=c1",
        200,
        "{\"kind\":\"ItemList\",\"controller\":\"demo\",\"asOfSeq\":9,\"items\":[%s]}"
            .formatted(ITEM.formatted("cart-with-a-long-name")));
  }

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void controllers_areATable() {
    assertThat(ctl.run("get", "controllers")).isZero();
    assertThat(ctl.output())
        .isEqualTo(
            """
            NAME     STATE            READY    DELAYED   WAITING   IN-FLIGHT   FAILING   AGE
            demo     running,paused   1        20        3         2           23        4h
            broken   failed           <none>   <none>    <none>    <none>      <none>    <none>
            """);
    assertThat(ctl.errors()).isEmpty();
  }

  @Test
  void wide_showsMore() {
    assertThat(ctl.run("get", "ctl", "-owide", "--no-headers")).isZero();
    assertThat(ctl.output().lines().toList())
        .containsExactly(
            "demo     running,paused   1        20       3        2        23       4h       <none>   2/4      65s      0s       1.50/s   default   leader   coxswain-0   <none>",
            "broken   failed           <none>   <none>   <none>   <none>   <none>   <none>   <none>   <none>   <none>   <none>   <none>   <none>    <none>   coxswain-0   no such type");
  }

  @Test
  void standingProblems_areInTheState_andWideSaysWhatIsWrongWhere() {
    server.on(
        "GET /controllers/stuck",
        200,
        """
        {"name":"stuck","replica":"a","state":"running","paused":false,"counts":{},"parts":[{"replica":"a"},{"replica":"b"}],\
        "sources":[{"description":"x","synced":true,"problem":"no answer"}],"conditions":[\
        {"type":"workersExhausted","since":"2026-11-20T06:00:00Z","message":"no attempt ends","replica":"a"},\
        {"type":"workersExhausted","since":"2026-11-20T06:00:00Z","message":"none ends","replica":"b"}]}\
        """);
    assertThat(ctl.run("get", "controllers", "stuck", "-owide", "--no-headers")).isZero();
    assertThat(ctl.output())
        .contains("stuck   running,workersExhausted   ")
        .contains(
            "   workersExhausted (a): no attempt ends; workersExhausted (b): none ends; no answer");
  }

  @Test
  void controllerThatHasNotSyncedInTime_isFailed_andWideSaysWhy() {
    server.on(
        "GET /controllers/late",
        200,
        """
        {"name":"late","replica":"a","state":"failed","error":"did not sync within 2m: source \\"x\\" (403)",\
        "paused":false,"counts":{},"sources":[{"description":"x","synced":false,"problem":"403"}],"conditions":[\
        {"type":"syncTimedOut","since":"2026-11-20T06:00:00Z","message":"did not sync","replica":"a"}]}\
        """);
    assertThat(ctl.run("get", "controllers", "late", "-owide", "--no-headers")).isZero();
    assertThat(ctl.output())
        .contains("late   failed,syncTimedOut   ")
        .endsWith("   did not sync within 2m: source \"x\" (403)\n");
  }

  @Test
  void pagesOfItems_areOneTable() {
    assertThat(ctl.run("get", "items", "demo", "-A", "--failing")).isZero();
    assertThat(ctl.output())
        .isEqualTo(
            """
            NAMESPACE   NAME     PHASE     FAILURES   WHEN       LAST ERROR
            shop        cart-7   delayed   9          in 2m11s   no answer
            shop        cart-with-a-long-name   delayed   9          in 2m11s   no answer
            """);
  }

  @Test
  void pagesOfItems_areOneJsonDocument_withoutTheCursor() throws IOException {
    assertThat(ctl.run("get", "items", "demo", "-A", "--failing", "-o", "json")).isZero();
    Json list = Json.parse(ctl.output());
    assertThat(list.text("controller")).isEqualTo("demo");
    assertThat(list.list("items")).hasSize(2);
    assertThat(list.has("continue")).isFalse();
    assertThat(ctl.output()).isEqualTo(list.pretty() + "\n");
  }

  @Test
  void pagesOfItems_areOneYamlDocument() {
    assertThat(ctl.run("get", "items", "demo", "-A", "--failing", "-o", "yaml")).isZero();
    assertThat(ctl.output())
        .startsWith("kind: ItemList\ncontroller: demo\nasOfSeq: 9\nitems:\n- id: eA\n  key:\n")
        .contains("\n- id: eA\n")
        .containsOnlyOnce("items:");
  }

  @Test
  void names_areForPrograms() {
    assertThat(ctl.run("get", "items", "demo", "-A", "--failing", "-o", "name")).isZero();
    assertThat(ctl.output()).isEqualTo("item/shop/cart-7\nitem/shop/cart-with-a-long-name\n");
  }

  @Test
  void oneThatIsNamed_isJsonByItself() throws IOException {
    assertThat(ctl.run("get", "controllers", "controller/demo", "-o", "json")).isZero();
    assertThat(Json.parse(ctl.output()).text("name")).isEqualTo("demo");
  }

  @Test
  void someThatAreNamed_areShown_andWhatIsNotThereIsReported() {
    assertThat(ctl.run("get", "controllers", "demo", "dmeo")).isEqualTo(1);
    assertThat(ctl.output()).contains("demo   running,paused   1");
    assertThat(ctl.errors()).contains("controller/dmeo: Error from server (Not found)");
  }

  @Test
  void labels_chooseItems_alsoInADump() {
    server.on(
        "GET /controllers/demo/items?namespace=default&labelSelector=app%3Dweb%2C%21legacy&limit=500",
        200,
        "{\"kind\":\"ItemList\",\"controller\":\"demo\",\"asOfSeq\":9,\"items\":[%s]}"
            .formatted(ITEM.formatted("cart-7")));
    assertThat(ctl.run("get", "items", "demo", "-l", "app=web,!legacy", "-o", "name")).isZero();
    assertThat(ctl.output()).isEqualTo("item/shop/cart-7\n");
    ctl.run("dump", "demo", "--selector=app in (web)");
    assertThat(server.requests())
        .contains("GET /controllers/demo/items?labelSelector=app%20in%20%28web%29&limit=500");
  }

  @Test
  void anEmptyNamespace_isReported_andIsNoError() {
    assertThat(ctl.run("get", "items", "demo")).isZero();
    assertThat(ctl.output()).isEmpty();
    assertThat(ctl.errors())
        .isEqualTo(
            "No items of controller demo in namespace \"default\". (-A shows all namespaces)\n");
  }

  @Test
  void anEmptyList_isStillJson() throws IOException {
    assertThat(ctl.run("get", "items", "demo", "-o", "json")).isZero();
    assertThat(Json.parse(ctl.output()).list("items")).isEmpty();
  }

  @Test
  void aLimit_endsTheWalk_withANote() {
    server.on(
        "GET /controllers/demo/items?limit=1",
        200,
        "{\"kind\":\"ItemList\",\"items\":[%s],\"continue\":\"c1\"}"
            .formatted(ITEM.formatted("a")));
    assertThat(ctl.run("get", "items", "demo", "-A", "--limit", "1", "-o", "name")).isZero();
    assertThat(ctl.output()).isEqualTo("item/shop/a\n");
    assertThat(ctl.errors()).isEqualTo("note: there are more than the first 1\n");
  }

  @Test
  void aPartialAnswer_isShown_withOneWarning_andEndsWith2() {
    String partial =
        """
        {"kind":"LimiterList","partial":true,"replicas":[{"replica":"coxswain-0","state":"ok"},\
        {"replica":"coxswain-2","state":"unreachable","error":"connection refused"}],"items":[]}\
        """;
    server.on("GET /limiters", 200, partial);
    assertThat(ctl.run("limiters")).isEqualTo(2);
    assertThat(ctl.errors())
        .contains(
            "warning: replica coxswain-2: unreachable (connection refused); its part is missing\n")
        .doesNotContain("coxswain-0");
  }

  @Test
  void limitersWide_showWhatEachReplicaHas_inOneOrder() {
    server.on(
        "GET /limiters",
        200,
        """
        {"kind":"LimiterList","items":[{"name":"vendor","mode":"hazelcast","source":"config","refillPerSecond":10.0,\
        "capacity":100,"tokens":41.5,"waiters":3,"granted":30,"denied":2,"degraded":false,"consumers":["demo"],"parts":[\
        {"replica":"coxswain-0","waiters":1,"granted":10,"floor":{"refillPerSecond":0.4,"capacity":4,"tokens":4,"granted":2}},\
        {"replica":"coxswain-1","waiters":2,"granted":20}]}]}\
        """);
    assertThat(ctl.run("limiters", "-o", "wide")).isZero();
    assertThat(ctl.output())
        .isEqualTo(
            """
            NAME     MODE        RATE   BURST   TOKENS   WAITERS   GRANTED   DENIED   SOURCE   EXPIRES   CONSUMERS   REPLICAS                WAITERS-EACH   GRANTED-EACH   FLOOR-EACH   REASON
            vendor   hazelcast   10.0   100     41.5     3         30        2        config   <none>    demo        coxswain-0,coxswain-1   1,2            10,20          0.40/s,-     <none>
            """);
  }

  @Test
  void aReplicaThatLeavesDuringTheWalk_costsItsItemsOnly() {
    server.on(
        "GET /controllers/demo/items?minFailures=1&limit=500",
        200,
        "{\"kind\":\"ItemList\",\"items\":[%s],\"continue\":\"c1\"}"
            .formatted(ITEM.formatted("a")));
    server.on(
        "GET /controllers/demo/items?minFailures=1&limit=500&continue=c1",
        410,
        """
        {"type":"https://coxswain.dev/problems/cursor-expired","title":"Gone","replica":"coxswain-2","continue":"c2"}\
        """);
    server.on(
        "GET /controllers/demo/items?minFailures=1&limit=500&continue=c2",
        200,
        "{\"kind\":\"ItemList\",\"items\":[%s]}".formatted(ITEM.formatted("b")));
    assertThat(ctl.run("get", "items", "demo", "-A", "--min-failures=1", "-o", "name"))
        .isEqualTo(2);
    assertThat(ctl.output()).isEqualTo("item/shop/a\nitem/shop/b\n");
    assertThat(ctl.errors()).contains("replica coxswain-2 has left");
  }

  @Test
  void replicas_areShown_alsoThoseThatDoNotAnswer() {
    server.on(
        "GET /replicas",
        200,
        """
        {"kind":"ReplicaList","partial":true,"replicas":[{"replica":"coxswain-1","state":"unreachable"}],"items":[\
        {"kind":"Replica","replica":"coxswain-0","state":"ok","ordinal":0,"version":"0.4.0","startedAt":"2026-11-20T09:00:00Z",\
        "controllers":[{"name":"cron"},{"name":"demo"}]},{"kind":"Replica","replica":"coxswain-1","state":"unreachable"}]}\
        """);
    assertThat(ctl.run("replicas")).isEqualTo(2);
    assertThat(ctl.output())
        .isEqualTo(
            """
            NAME         STATE         SLOTS    LEASE    VERSION   CONTROLLERS   AGE
            coxswain-0   ok            <none>   0        0.4.0     cron,demo     60m
            coxswain-1   unreachable   <none>   <none>   <none>    <none>        <none>
            """);
  }

  @Test
  void wrongUse_isReported_beforeAnyRequest() {
    for (String line :
        new String[] {
          "get",
          "get thing",
          "get items",
          "get items demo -o xml",
          "get items demo -n a -A",
          "get audit 7",
          "get controllers --limit 3",
          "get items demo a/b -n c",
          "get items demo --min-failures=-1",
          "frobnicate",
          "--namespace",
        }) {
      assertThat(ctl.run(line.split(" "))).as(line).isEqualTo(1);
      if (!line.equals("--namespace")) {
        assertThat(ctl.errors()).as(line).startsWith("error: ");
        assertThat(ctl.output()).as(line).isEmpty();
      }
    }
    assertThat(server.received()).isEmpty();
  }

  @Test
  void flagsBeforeTheCommand_areFine() {
    assertThat(ctl.run("-s", server.url(), "--request-timeout=5s", "get", "controllers")).isZero();
    assertThat(ctl.output()).startsWith("NAME ");
  }

  @Test
  void explain_showsWhatTheDocumentsSayItShows() throws IOException {
    server.on(
        "GET /controllers/demo/items/c2hvcC9jYXJ0LTc/explain",
        200,
        """
        {"key":{"namespace":"shop","name":"cart-7"},"controller":"demo","replica":"coxswain-0",\
        "slot":{"slot":63,"state":"owned","owner":"coxswain-0","epoch":75},"reason":"backoff",\
        "message":"Failed.","expectedStart":"2026-11-20T10:02:11.607168274Z","item":{"phase":"delayed","failures":9,\
        "lastError":"no answer","cause":"5f2a91b0c3d4","lastErrorAt":"2026-11-20T09:59:58Z",\
        "notBefore":"2026-11-20T10:02:11Z","trigger":"retry","priority":-100,"rev":"127"}}\
        """);
    assertThat(ctl.run("explain", "demo", "shop/cart-7")).isZero();
    String sample =
        Files.readString(
                Path.of(System.getProperty("basedir", "."), "..", "..", "docs", "guides", "ctl.md"))
            .replaceFirst("(?s).*?\\$ coxswain ctl explain [^\n]*\n(.*?)\nLast attempts:.*", "$1");
    assertThat(ctl.output()).contains("Expected start:  2026-11-20T10:02:11.607Z (in ");
    assertThat(labels(ctl.output())).contains("Replica:         ").isEqualTo(labels(sample));
  }

  @Test
  void explain_showsTheLastAttempts_andWhatLedToThem() {
    server.on(
        "GET /controllers/demo/items/c2hvcC9jYXJ0LTc/explain",
        200,
        """
        {"key":{"namespace":"shop","name":"cart-7"},"controller":"demo","reason":"backoff","message":"Failed.",\
        "attempts":[\
        {"attempt":9,"endedAt":"2026-11-20T09:59:58Z","outcome":"error","tookSeconds":0.0481,"readySeconds":0,\
        "tokenSeconds":1.23,"trigger":"retry","writes":1,"error":"no\\nanswer"},\
        {"endedAt":"2026-11-20T09:59:57Z","outcome":"dropped","by":"anna","reason":"INC-3"},\
        {"attempt":7,"endedAt":"2026-11-20T09:59:00Z","outcome":"success","tookSeconds":75,"readySeconds":2.04,\
        "trigger":"event","writes":0,"replica":"coxswain-2",\
        "change":{"kind":"Cart","namespace":"shop","name":"cart-7","parts":["labels","spec"]}},\
        {"attempt":5,"endedAt":"2026-11-20T09:58:00Z","outcome":"success","tookSeconds":0.0004,"readySeconds":0,\
        "trigger":"event","writes":0,"change":{"kind":"Node","name":"n1","parts":["status"],"writer":"nodes"}}]}\
        """);
    assertThat(ctl.run("explain", "demo", "shop/cart-7")).isZero();
    assertThat(table(ctl.output()))
        .containsExactly(
            "outcome took waited why writes error",
            "error 48ms 1.2s token retry 1 no answer",
            "dropped <none> <none> by anna (INC-3) <none> <none>",
            "success 75s 2.0s Cart labels, spec on coxswain-2 0 <none>",
            "success 0ms 0ms Node n1 status by nodes 0 <none>");
  }

  /** Returns the cells of the attempts without their ages. */
  private static List<String> table(String output) {
    return output
        .lines()
        .dropWhile(line -> !line.equals("Last attempts:"))
        .skip(1)
        .map(line -> line.strip().replaceFirst("^(ENDED|.* ago) +", "").replaceAll(" {2,}", " "))
        .map(line -> line.startsWith("OUTCOME") ? line.toLowerCase(Locale.ROOT) : line)
        .toList();
  }

  private static List<String> labels(String text) {
    return text.lines().map(line -> line.replaceFirst("(: +).*", "$1")).toList();
  }

  @Test
  void top_showsTheBusiestFirst() throws IOException {
    try (FakeAdminApi busy = new FakeAdminApi()) {
      busy.on(
          "GET /controllers",
          200,
          "{\"items\":[%s,%s]}"
              .formatted(DEMO, DEMO.replace("\"demo\"", "\"worse\"").replace("1.5", "7.5")));
      CtlRunner before = new CtlRunner(busy);
      assertThat(before.run("top", "-o", "name")).isZero();
      assertThat(before.output()).isEqualTo("controller/worse\ncontroller/demo\n");
      assertThat(before.run("top", "-o", "name", "--sort-by", "name")).isZero();
      assertThat(before.output()).isEqualTo("controller/demo\ncontroller/worse\n");
      assertThat(before.run("top", "--sort-by", "nam")).isEqualTo(1);
      assertThat(before.errors()).contains("did you mean \"name\"?");
    }
  }
}
