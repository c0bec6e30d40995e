// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.host.e2e.controller.FailingController;
import dev.coxswain.host.e2e.process.ApiCalls;
import dev.coxswain.host.e2e.process.AttemptLines;
import dev.coxswain.host.e2e.process.AttemptLines.Attempt;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.testing.Await;
import dev.coxswain.testing.TestLength;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Three real replicas that are replaced one by one, again and again; the tests look at what they did and showed. One
 * controller goes from sharded to leader and back by the roll-outs while its objects change. All objects of another
 * one fail, and wait for their next attempt or for a token. Of a third one many items were changed at once before.
 */
@Order(1) // takes long
class RollOutIT extends ChangingReplicas {

  private static final List<String> OWNERSHIPS =
      TestLength.isLong()
          ? List.of("sharded", "leader", "sharded", "leader", "sharded")
          : List.of("sharded", "leader", "sharded");

  private static final int RETRYING = 80;
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Pattern ADMIN = Pattern.compile("admin API listening .*port=\"?(\\d+)");
  private static final String FAILING = "/controllers/" + FailingController.NAME;

  private final HttpClient http = HttpClient.newHttpClient();

  /** An operation that has ended, and the records of changes, before all replicas were replaced. */
  private Shown before = new Shown(List.of(), List.of());

  /** The same at each of the replicas that have taken their place. */
  private Shown after = new Shown(List.of(), List.of());

  private record Shown(List<JsonNode> operation, List<JsonNode> records) {}

  RollOutIT() {
    super(List.of(RetryingController.class, FailingController.class));
  }

  @BeforeAll
  @Timeout(1800)
  void rollOutAgainAndAgain() throws Exception {
    Path starts = Files.createDirectory(folder.resolve("starts"));
    beginChanges();
    createRetrying();
    String operation = "";
    for (String ownership : OWNERSHIPS) {
      rollOut(
          Launcher.SCRIPT,
          Map.of("COXSWAIN_CONTROLLERS__CHANGING__OWNERSHIP", ownership),
          "--set=admin.auth.mode=none",
          "--set=changes.safeCount=100000",
          "--set=logging.level=info",
          "--set=limiters.default={rate: 20, burst: 5}",
          // The retries of one controller need no tokens of the other one.
          "--set=limiters.own={rate: 1, burst: 1}",
          "--set=controllers.failing.budget=own",
          "--set=controllers.failing.config.folder=" + starts);
      awaitRetries();
      if (operation.isEmpty()) {
        awaitAll();
        operation = changeManyItems();
        before = shown(operation, List.of(1));
      } else if (after.operation().isEmpty()) {
        awaitAll();
        after = shown(operation, List.of(0, 1, 2));
      }
    }
    settle();
    stopAll(); // what they have printed is complete
  }

  @AfterAll
  void closeClient() {
    http.close();
  }

  @Test
  void aChangeOfTheOwnership_letsNoEpochFall_runsNoRequestTwice_andLosesNothing()
      throws IOException {
    judgeAttempts();
  }

  /** No key loses its failures, and no attempt after a failure is anything but a retry, which takes a token. */
  @Test
  void gracefulRestarts_keepTheFailuresOfEveryKey_andThatItIsARetry() throws IOException {
    List<Attempt> attempts = retries();
    assertThat(lost(attempts)).isEmpty();
    assertThat(AttemptLines.violations(attempts)).isEmpty();
    assertThat(moved(attempts)).as("keys that were retried at several replicas").isPositive();
  }

  @Test
  void whatHasEnded_isShownUnchanged_afterAllReplicasWereReplaced() {
    JsonNode over = before.operation().getFirst();
    assertThat(over.path("parts")).hasSize(REPLICAS);
    assertThat(before.records().toString()).contains("INC-1", "INC-2");
    assertThat(after.operation()).hasSize(2 * REPLICAS).containsOnly(over);
    assertThat(after.records()).isEqualTo(before.records());
  }

  /** Changes all failing items at once, to the end, and a controller; returns the operation. */
  private String changeManyItems() throws Exception {
    Await.until(LIMIT, () -> get(0, FAILING).path("failing").asInt() > 0);
    String id =
        change(
                1,
                FAILING + "/operations",
                "{\"action\":\"forget\",\"selector\":{\"failing\":true},\"maxAffected\":100000,"
                    + "\"reason\":\"INC-1\"}")
            .path("id")
            .asText();
    Await.until(LIMIT, () -> !get(1, "/operations/" + id).path("state").asText().equals("Running"));
    change(2, FAILING + "/resume", "{\"reason\":\"INC-2\"}");
    return id;
  }

  /** Asks replicas for an operation, alone and in the list, and the first for the records. */
  private Shown shown(String operation, List<Integer> replicas) throws Exception {
    List<JsonNode> all = new ArrayList<>();
    for (int replica : replicas) {
      all.add(content(get(replica, "/operations/" + operation)));
      all.add(content(get(replica, "/operations").at("/items/0")));
    }
    List<JsonNode> records = new ArrayList<>();
    get(0, "/audit?limit=500").path("items").forEach(records::add);
    // The count before an operation changes nothing.
    records.removeIf(record -> record.path("result").asText().equals("preview"));
    return new Shown(all, records);
  }

  /** Waits until each replica receives the responses of the three, and of no others. */
  private void awaitAll() throws Exception {
    for (int i = 0; i < REPLICAS; i++) {
      int replica = i;
      Await.until(
          LIMIT,
          () -> {
            JsonNode replicas = get(replica, "/replicas");
            return replicas.path("items").size() == REPLICAS
                && !replicas.path("partial").asBoolean();
          });
      Await.until(LIMIT, () -> !get(replica, FAILING).path("partial").asBoolean(true));
    }
  }

  /** Returns a response without the names of the replicas that answered. */
  private static JsonNode content(JsonNode response) {
    return response.<ObjectNode>deepCopy().without(List.of("replica", "replicas", "partial"));
  }

  private JsonNode get(int replica, String path) throws Exception {
    return read(
        http.send(
            HttpRequest.newBuilder(address(replica, path)).build(),
            HttpResponse.BodyHandlers.ofString()));
  }

  private JsonNode change(int replica, String path, String body) throws Exception {
    return read(
        ApiCalls.change(
            http,
            HttpRequest.newBuilder(address(replica, path))
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))));
  }

  private static JsonNode read(HttpResponse<String> response) throws Exception {
    assertThat(response.statusCode()).as(response.body()).isBetween(200, 299);
    return JSON.readTree(response.body());
  }

  private URI address(int replica, String path) throws Exception {
    Matcher port = ADMIN.matcher(running.get(replica).output());
    assertThat(port.find()).as(running.get(replica).output()).isTrue();
    return URI.create("http://127.0.0.1:" + port.group(1) + "/api/v1" + path);
  }

  private void createRetrying() {
    kubernetes
        .resource(V1Namespace.class)
        .create(new V1Namespace().metadata(new V1ObjectMeta().name(RetryingController.NAMESPACE)));
    for (int i = 0; i < RETRYING; i++) {
      kubernetes
          .resource(V1ConfigMap.class)
          .create(
              new V1ConfigMap()
                  .metadata(
                      new V1ObjectMeta()
                          .namespace(RetryingController.NAMESPACE)
                          .name(RetryingController.PREFIX + i)));
    }
  }

  /** Waits until every key has had two more attempts: its state has moved, and was used. */
  private void awaitRetries() throws Exception {
    Map<String, Integer> before = counts();
    await(
        "two more attempts of each key",
        () -> {
          Map<String, Integer> now = counts();
          return now.size() == RETRYING
              && now.entrySet().stream()
                  .allMatch(key -> key.getValue() >= before.getOrDefault(key.getKey(), 0) + 2);
        });
  }

  private List<Attempt> retries() throws IOException {
    return attempts().stream()
        .filter(attempt -> attempt.key().startsWith(RetryingController.PREFIX))
        .toList();
  }

  private Map<String, Integer> counts() throws IOException {
    Map<String, Integer> counts = new HashMap<>();
    retries().forEach(attempt -> counts.merge(attempt.key(), 1, Integer::sum));
    return counts;
  }

  /** Returns where a key has not one failure more than before, or is no retry after a failure. */
  private static List<String> lost(List<Attempt> attempts) {
    Map<String, Attempt> last = new HashMap<>();
    List<String> lost = new ArrayList<>();
    attempts.stream()
        .sorted(Comparator.comparingLong(Attempt::begin))
        .forEach(attempt -> {
          Attempt before = last.put(attempt.key(), attempt);
          int expected = before == null ? 0 : failures(before) + 1;
          boolean retry = attempt.count().endsWith("/" + Trigger.RETRY);
          if (failures(attempt) != expected || (before != null && !retry)) {
            lost.add(before + ", then " + attempt);
          }
        });
    return lost;
  }

  private static int failures(Attempt attempt) {
    return Integer.parseInt(attempt.count().substring(0, attempt.count().indexOf('/')));
  }

  private static long moved(List<Attempt> attempts) {
    Map<String, Integer> first = new HashMap<>();
    return attempts.stream()
        .filter(attempt -> {
          Integer at = first.putIfAbsent(attempt.key(), attempt.process());
          return at != null && at != attempt.process();
        })
        .map(Attempt::key)
        .distinct()
        .count();
  }
}
