// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.history;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.Reviewers;
import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.admin.spi.HistoryStore;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What has ended is shown unchanged after all replicas were replaced. */
class StoredHistoryTest {

  private static final String OPERATIONS = "/api/v1/operations";
  private static final String AUDIT = "/api/v1/audit";
  private static final String KEY = "Idempotency-Key";
  private static final String FLUSH =
      "{\"action\":\"flush\",\"then\":\"none\",\"selector\":{\"failing\":true},\"reason\":\"INC-1\"}";

  /** A store that all replicas share. */
  private static final class Store implements HistoryStore {
    private List<Entry> entries = List.of();
    volatile boolean failing;

    @Override
    public synchronized void add(Entry entry) {
      List<Entry> next = new ArrayList<>(entries);
      next.add(entry);
      entries = List.copyOf(next);
    }

    @Override
    public synchronized Future<List<Entry>> read() {
      return failing
          ? Future.failedFuture("the API server does not answer")
          : Future.succeededFuture(entries);
    }
  }

  private final Cluster3 cluster = new Cluster3();
  private final Store store = new Store();

  @BeforeEach
  void store() {
    cluster.apis.forEach(api -> api.directory.history = store);
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private void restart(int replica) {
    cluster.restart(replica);
    cluster.at(replica).directory.history = store;
  }

  private void restartAll() {
    for (int i = 0; i < 3; i++) {
      restart(i);
    }
  }

  /** Returns a response without the names of the replicas that answered. */
  private static JsonNode content(JsonNode response) {
    return response
        .<ObjectNode>deepCopy()
        .without(List.of("replica", "replicas", "partial", "results"));
  }

  private static JsonNode content(JsonNode list, JsonNode operation) {
    for (JsonNode item : list.path("items")) {
      if (item.path("id").equals(operation.path("id"))) {
        return content(item);
      }
    }
    throw new AssertionError("not listed: " + list);
  }

  private static String address(JsonNode operation) {
    return OPERATIONS + "/" + operation.path("id").asText();
  }

  @Test
  void aFinishedOperation_isUnchanged_inGetAndList_afterEachReplicaWasReplaced() {
    cluster.fill(0, 2);
    cluster.fill(1, 3);
    JsonNode begun = cluster.at(0).post(Api.DEMO + "/operations", FLUSH).ok(202);
    JsonNode over = cluster.at(2).ended(begun);
    assertThat(over.path("parts")).hasSize(3);
    JsonNode listed = content(cluster.at(2).get(OPERATIONS).ok(200), begun);
    for (int i = 0; i < 3; i++) {
      restart(i);
      for (Api api : cluster.apis) {
        assertThat(content(api.get(address(begun)).ok(200))).isEqualTo(content(over));
        assertThat(content(api.get(OPERATIONS).ok(200), begun)).isEqualTo(listed);
      }
    }
    Api api = cluster.at(1);
    assertThat(api.get(OPERATIONS + "?controller=demo&state=Succeeded").ok(200).path("items"))
        .hasSize(1);
    assertThat(api.get(OPERATIONS + "?controller=other").ok(200).path("items")).isEmpty();
    assertThat(api.get(OPERATIONS + "?namespace=ns").ok(200).path("items")).isEmpty();
    assertThat(api.get(OPERATIONS + "?scope=local").ok(200).path("items")).isEmpty();
    JsonNode stopped = api.change("DELETE", address(begun), "{\"reason\":\"late\"}").ok(200);
    assertThat(content(stopped)).isEqualTo(content(over));
  }

  /** It goes to every replica although the first has it under a key of its own. */
  @Test
  void anOperationThatIsSentAgainAfterARestart_isNotBegunTwice() {
    cluster.fill(0, 2);
    cluster.fill(1, 3);
    JsonNode begun = cluster.at(0).post(Api.DEMO + "/operations", FLUSH, KEY, "k").ok(202);
    JsonNode over = cluster.at(0).ended(begun);
    restartAll();
    cluster.fill(0, 1);
    JsonNode again = cluster.at(1).post(Api.DEMO + "/operations", FLUSH, KEY, "k").ok(202);
    assertThat(content(again)).isEqualTo(content(over));
    assertThat(cluster.at(0).demo.size()).isEqualTo(1);
  }

  @Test
  void aKeyThatIsUsedForAnotherRequestAfterARestart_changesNothingThatIsStored() {
    cluster.fill(0, 2);
    cluster.fill(1, 3);
    JsonNode begun = cluster.at(0).post(Api.DEMO + "/operations", FLUSH, KEY, "k").ok(202);
    JsonNode over = cluster.at(0).ended(begun);
    restartAll();
    cluster.fill(2, 4);
    String other = FLUSH.replace("INC-1", "INC-2");
    JsonNode second = cluster.at(1).post(Api.DEMO + "/operations", other, KEY, "k").ok(202);
    cluster.at(1).ended(second);
    assertThat(content(cluster.at(0).get(address(begun)).ok(200))).isEqualTo(content(over));
  }

  /** What a caller without the right sees of a stored operation is what it sees of an unknown one. */
  @Test
  void aStoredOperation_isShownToThoseWhoMaySeeItsController_andHiddenFromOthers() {
    Reviewers reviewers = new Reviewers();
    try (Api api = reviewers.api()) {
      api.directory.history = store;
      cluster.fill(0, 1);
      JsonNode begun = cluster.at(0).post(Api.DEMO + "/operations", FLUSH).ok(202);
      cluster.at(0).ended(begun);
      reviewers.denied.add(new AccessRequest(Verb.GET, Access.OPERATIONS, "", ""));
      assertThat(get(api, address(begun)).ok(200).path("id")).isEqualTo(begun.path("id"));
      reviewers.pass(Duration.ofHours(1)); // decisions are kept for a while
      reviewers.denied.add(new AccessRequest(Verb.GET, Access.OPERATIONS, "", "demo"));
      JsonNode known = get(api, address(begun)).problem(403, "forbidden");
      JsonNode unknown = get(api, OPERATIONS + "/op-00000000-1").problem(403, "forbidden");
      assertThat(known.path("detail")).isEqualTo(unknown.path("detail"));
    }
  }

  private static Api.Answer get(Api api, String path) {
    return api.send(api.request(path).header("Authorization", "Bearer good-alice"));
  }

  private void change(int replica, String reason) {
    cluster
        .at(replica)
        .post(Api.DEMO + "/resume?scope=local", "{\"reason\":\"" + reason + "\"}")
        .ok(200);
  }

  private static List<JsonNode> items(JsonNode page) {
    List<JsonNode> items = new ArrayList<>();
    page.path("items").forEach(items::add);
    return items;
  }

  private List<JsonNode> walk(int replica, String query, Runnable betweenPages) {
    List<JsonNode> all = new ArrayList<>();
    String from = "";
    do {
      JsonNode page = cluster.at(replica).get(AUDIT + query + from).ok(200);
      all.addAll(items(page));
      from = page.has("continue") ? "&continue=" + page.path("continue").asText() : "";
      betweenPages.run();
    } while (!from.isEmpty());
    return all;
  }

  @Test
  void auditedChanges_areListedOnce_unchanged_afterEachReplicaWasReplaced() {
    for (int i = 0; i < 5; i++) {
      for (int replica = 0; replica < 3; replica++) {
        change(replica, "INC-" + i + "-" + replica);
      }
    }
    List<JsonNode> before = walk(0, "?limit=100", () -> {});
    assertThat(before).hasSize(30);
    for (int i = 0; i < 3; i++) {
      restart(i);
      for (int limit : new int[] {1, 7, 100}) {
        assertThat(walk(1, "?limit=" + limit, () -> {})).isEqualTo(before);
      }
    }
    change(0, "new");
    List<JsonNode> after = walk(2, "?limit=4", () -> {});
    assertThat(after).hasSize(32).endsWith(before.toArray(JsonNode[]::new));
    assertThat(walk(2, "?limit=4&controller=other", () -> {})).isEmpty();
    assertThat(walk(2, "?limit=4&action=resume&actor=anonymous", () -> {})).isEqualTo(after);
    Instant since = Instant.parse(before.get(3).path("at").asText());
    assertThat(walk(2, "?limit=4&since=" + since, () -> {})).isEqualTo(after.subList(0, 6));
    assertThat(walk(2, "?limit=100&scope=local", () -> {})).isEmpty();
  }

  @Test
  void aReplicaThatEndsDuringAWalk_isNotListedTwice() {
    for (int i = 0; i < 6; i++) {
      change(i % 3, "INC-" + i);
    }
    List<JsonNode> before = walk(0, "?limit=100", () -> {});
    List<Integer> left = new ArrayList<>(List.of(1, 2));
    List<JsonNode> walked =
        walk(
            0,
            "?limit=2",
            () -> {
              if (!left.isEmpty()) {
                restart(left.removeFirst());
              }
            });
    assertThat(walked).isEqualTo(before);
  }

  @Test
  void whatIsRefused_isNotStored() {
    cluster.at(0).post(Api.DEMO + "/pause", "{}").problem(400, "invalid-body");
    assertThat(store.entries).isEmpty();
    change(0, "INC-1");
    assertThat(store.entries).hasSize(2);
  }

  @Test
  void aStoreThatCannotBeRead_isSaid_andWhatIsInMemoryIsShown() {
    change(0, "INC-1");
    cluster.fill(0, 1);
    JsonNode begun = cluster.at(0).post(Api.DEMO + "/operations", FLUSH).ok(202);
    cluster.at(0).ended(begun);
    restart(1);
    restart(2);
    store.failing = true;
    for (String path : List.of(OPERATIONS, AUDIT, address(begun))) {
      JsonNode answer = cluster.at(0).get(path).ok(200);
      assertThat(answer.path("partial").asBoolean()).isTrue();
      assertThat(answer.path("historyProblem").asText()).contains("the API server does not answer");
    }
    restart(0);
    cluster.at(0).get(address(begun)).problem(503, "replica-unreachable");
    store.failing = false;
    JsonNode answer = cluster.at(0).get(address(begun)).ok(200);
    assertThat(answer.has("historyProblem")).isFalse();
  }

  @Test
  void anEntryThatIsNone_isIgnored() {
    change(0, "INC-1");
    for (HistoryStore.Kind kind : HistoryStore.Kind.values()) {
      for (String json :
          List.of(
              "",
              "x",
              "[]",
              "{}",
              "{\"replica\":\"a\",\"part\":{\"id\":7}}",
              "{\"run\":\"0000000000000000\",\"record\":{\"replica\":\"a\",\"at\":\"soon\"}}",
              "{\"run\":\"no\",\"record\":{}}")) {
        store.add(new HistoryStore.Entry(kind, Instant.EPOCH, "", json));
      }
    }
    restartAll();
    assertThat(items(cluster.at(0).get(AUDIT).ok(200))).hasSize(2);
    assertThat(cluster.at(0).get(OPERATIONS).ok(200).path("items")).isEmpty();
  }
}
