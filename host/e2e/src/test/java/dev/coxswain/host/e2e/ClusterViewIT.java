// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three real processes: each answers for all of them, also when one has been killed. */
@Order(1) // takes long
class ClusterViewIT {

  private static final Duration AWAIT_LIMIT = Duration.ofMinutes(3);
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String FAILING = "/api/v1/controllers/failing";
  private static final String REPLICAS = "/api/v1/replicas";
  private static final List<String> TWO_OK = List.of("ok", "ok");
  private static final List<String> WITHOUT_ONE = List.of("ok", "unreachable", "ok");
  private static final String TRIALS = "/api/v1/controllers/error-backoff";
  private static final int EACH = 50; // requests of the failing controller

  @TempDir private Path folder;
  private final HttpClient http = HttpClient.newHttpClient();
  private final List<String> admins = new ArrayList<>();
  private String token = "none";

  @AfterEach
  void close() {
    http.close();
  }

  @Test
  void anyReplicaAnswersForAll_andSaysSoWhenOneWasKilled_inTheMiddleOfAnOperation()
      throws Exception {
    Path starts = Files.createDirectory(folder.resolve("starts"));
    try (Launcher dev =
        Launcher.start(
            folder,
            Map.of("COXSWAIN_CLASSPATH", FailingPlugin.put(folder).toString()),
            "dev",
            "--json",
            "--ports=auto",
            "--replicas=3",
            "--set=logging.level=error",
            // Long enough for the replica Lease of a killed replica to be there until the end of
            // this test.
            "--set=membership.leaseDuration=600s",
            "--set=membership.renewPeriod=1s",
            "--set=controllers.failing.config.folder=" + starts)) {
      JsonNode report = JSON.readTree(dev.firstLine());
      token = report.get("adminToken").asText();
      List<ProcessHandle> children = new ArrayList<>();
      for (JsonNode replica : report.get("replicas")) {
        admins.add(replica.get("admin").asText());
        children.add(dev.child(replica.get("pid").asLong()));
      }
      assertThat(get(0, "/api/v1/controllers").path("items").findValuesAsText("name"))
          .as("without the examples")
          .containsOnly("failing");
      for (int via = 0; via < admins.size(); via++) {
        int replica = via;
        await(
            "all three to be seen by each",
            () -> states(get(replica, REPLICAS)).equals(List.of("ok", "ok", "ok")));
        await(
            "the items of all",
            () -> get(replica, FAILING).path("total").asInt() == EACH * admins.size());
      }
      List<String> all = walk();
      assertThat(all).hasSize(EACH * admins.size()).doesNotHaveDuplicates();
      List<JsonNode> dump =
          awaited(
              "a complete dump",
              () -> dump(1),
              lines -> lines.getLast().path("complete").asBoolean());
      assertThat(dump.subList(1, dump.size() - 1))
          .extracting(ClusterViewIT::named)
          .containsExactlyInAnyOrderElementsOf(all);

      JsonNode operation = begin();
      String place = placeAtTheItemsOf("coxswain-1");

      children.get(1).destroyForcibly();
      children.get(1).onExit().orTimeout(1, TimeUnit.MINUTES).join();

      for (int via : new int[] {0, 2}) {
        JsonNode controller =
            awaited(
                "the killed one alone to be missing",
                () -> get(via, FAILING),
                shown -> states(shown).equals(WITHOUT_ONE));
        assertThat(controller.path("partial").asBoolean()).isTrue();
        assertThat(controller.path("total").asInt()).isEqualTo(EACH * 2);
        JsonNode known =
            awaited(
                "the parts of those left",
                () -> get(via, "/api/v1/operations/" + operation.path("id").asText()),
                shown ->
                    shown
                        .path("parts")
                        .findValuesAsText("state")
                        .equals(List.of("Running", "Unknown", "Running")));
        assertThat(known.path("state").asText()).isEqualTo("Running");
      }
      List<JsonNode> dumped =
          awaited(
              "a dump of those left",
              () -> dump(2),
              lines -> states(lines.getLast()).equals(WITHOUT_ONE));
      assertThat(dumped).hasSize(EACH * 2 + 2);
      assertThat(dumped.getLast().path("complete").asBoolean(true)).isFalse();
      JsonNode lost = answer(2, "GET", FAILING + "/items?limit=30&continue=" + place, "", 410);
      assertThat(lost.path("replica").asText()).isEqualTo("coxswain-1");
      JsonNode rest =
          get(0, FAILING + "/items?limit=500&continue=" + lost.path("continue").asText());
      assertThat(rest.path("partial").asBoolean()).isTrue();
      assertThat(rest.path("items").findValuesAsText("replica"))
          .hasSize(EACH)
          .containsOnly("coxswain-2");

      JsonNode stopped =
          answer(
              2,
              "DELETE",
              "/api/v1/operations/" + operation.path("id").asText(),
              "{\"reason\":\"enough\"}",
              200);
      assertThat(stopped.path("parts").findValuesAsText("state"))
          .containsExactly("Cancelled", "Unknown", "Cancelled");
      // The order itself is on record where it was taken.
      assertThat(get(0, "/api/v1/audit?action=bulk-requeue").path("items").toString())
          .contains(operation.path("id").asText(), "intent");

      dev.terminate();
      assertThat(dev.exitCode()).as(dev.errors()).isZero();
    }
  }

  /** The API listed nothing with {@code partial: false}, and knew none of its controllers. */
  @Test
  void ofThreeReplicas_oneRunsTheControllersOfALeader_whichHaveNoOwnerAfterAKill_untilAnotherLeads()
      throws Exception {
    try (Launcher dev =
        Launcher.start(
            folder,
            Map.of(),
            "dev",
            "--json",
            "--ports=auto",
            "--replicas=3",
            "--set=logging.level=error",
            "--set=controllers.config-mirror.ownership=leader",
            "--set=controllers.cron.ownership=leader",
            "--set=controllers.error-backoff.ownership=leader",
            "--set=controllers.fleet.enabled=false",
            "--set=controllers.pod-simulator.enabled=false",
            "--set=controllers.training-job.enabled=false",
            "--set=membership.leaseDuration=30s",
            "--set=membership.renewPeriod=2s")) {
      JsonNode report = JSON.readTree(dev.firstLine());
      token = report.get("adminToken").asText();
      Map<String, ProcessHandle> processes = new HashMap<>();
      List<String> names = new ArrayList<>();
      for (JsonNode replica : report.get("replicas")) {
        admins.add(replica.get("admin").asText());
        names.add(replica.get("name").asText());
        processes.put(names.getLast(), dev.child(replica.get("pid").asLong()));
      }
      await("all to run", () -> listedAsRunning(0) == 3 && listedAsRunning(1) == 3);
      await(
          "all three to be seen", () -> states(get(0, REPLICAS)).equals(List.of("ok", "ok", "ok")));
      // Until then a controller may go from one replica to another between two looks.
      await(
          "slots that no longer move",
          () -> SlotShares.areEven(get(0, "/api/v1/slots"), names.size()));
      await("each controller to run on one replica", () -> runningAnywhere() == 3);
      String leader = get(0, TRIALS).path("replica").asText();
      int via = names.getFirst().equals(leader) ? 1 : 0;
      ProcessHandle killed = Objects.requireNonNull(processes.get(leader));
      killed.destroyForcibly();
      killed.onExit().orTimeout(1, TimeUnit.MINUTES).join();

      isWithoutOwner(via, leader);
      await("another one to lead", () -> listedAsRunning(via) == 3);
      // Its replica Lease may end later than that of the election, and until then it is missing.
      await("the killed one to be gone", () -> states(get(via, REPLICAS)).equals(TWO_OK));
      JsonNode list = whole(via, "/api/v1/controllers");
      assertThat(states(list)).isEqualTo(TWO_OK);
      assertThat(list.path("items").findValuesAsText("replica")).doesNotContain(leader);
      answer(via, "GET", TRIALS + "/items", "", 200);
      dev.terminate();
      assertThat(dev.exitCode()).as(dev.errors()).isZero();
    }
  }

  private long listedAsRunning(int replica) throws Exception {
    return running(get(replica, "/api/v1/controllers"));
  }

  /** Returns how many controllers the replicas themselves run, together. */
  private int runningAnywhere() throws Exception {
    int sum = 0;
    for (int replica = 0; replica < admins.size(); replica++) {
      sum += running(get(replica, "/api/v1/controllers?scope=local"));
    }
    return sum;
  }

  private static int running(JsonNode list) {
    int running = 0;
    for (JsonNode controller : list.path("items")) {
      running += controller.path("state").asText().equals("running") ? 1 : 0;
    }
    return running;
  }

  private void isWithoutOwner(int via, String leader) throws Exception {
    JsonNode list =
        awaited(
            "the leader alone to be missing",
            () -> get(via, "/api/v1/controllers"),
            shown -> missing(shown).equals(List.of(leader + " unreachable")));
    assertThat(list.path("partial").asBoolean()).as(list.toString()).isTrue();
    assertThat(list.path("items").findValuesAsText("name"))
        .contains("config-mirror", "cron", "error-backoff");
    for (JsonNode controller : list.path("items")) {
      if (!controller.path("state").asText().equals("running")) {
        assertThat(controller.path("state").asText()).as(list.toString()).isEqualTo("unowned");
        assertThat(controller.path("lastOwner").asText()).isEqualTo(leader);
        assertThat(Instant.parse(controller.path("since").asText())).isBefore(Instant.now());
      }
    }
    JsonNode trials = get(via, TRIALS);
    assertThat(trials.path("state").asText()).as(trials.toString()).isEqualTo("unowned");
    for (String path : List.of("/items", "/items/ZGVmYXVsdC94", "/items/ZGVmYXVsdC94/explain")) {
      JsonNode problem = answer(via, "GET", TRIALS + path, "", 503);
      assertThat(problem.path("type").asText()).endsWith("/no-owner");
      assertThat(problem.path("lastOwner").asText()).isEqualTo(leader);
    }
    answer(via, "GET", "/api/v1/controllers/unknown", "", 503);
  }

  /** Returns the replicas that did not answer, and why. */
  private static List<String> missing(JsonNode answer) {
    List<String> missing = new ArrayList<>();
    for (JsonNode one : answer.path("replicas")) {
      if (!one.path("state").asText().equals("ok")) {
        missing.add(one.path("replica").asText() + " " + one.path("state").asText());
      }
    }
    return missing;
  }

  /** Returns the place in a walk where the items of a replica begin. */
  private String placeAtTheItemsOf(String replica) throws Exception {
    JsonNode page = whole(0, FAILING + "/items?limit=30");
    while (true) {
      String place = page.path("continue").asText();
      page = whole(0, FAILING + "/items?limit=30&continue=" + place);
      if (page.path("items").findValuesAsText("replica").contains(replica)) {
        return place;
      }
    }
  }

  /** Begins an operation of one item per second on every replica, through the first one. */
  private JsonNode begin() throws Exception {
    String order =
        "\"action\":\"requeue\",\"delay\":\"1h\",\"itemsPerSecond\":1,\"all\":true,"
            + "\"reason\":\"INC-1\"}";
    String path = FAILING + "/operations";
    JsonNode preview =
        awaited(
            "a preview of all",
            () -> answer(0, "POST", path, "{\"dryRun\":true," + order, 200),
            shown -> shown.path("matched").asInt() == EACH * admins.size());
    String confirm = "{\"confirmToken\":\"" + preview.path("confirmToken").asText() + "\"," + order;
    JsonNode begun = answer(0, "POST", path, confirm, 202);
    assertThat(begun.path("parts").findValuesAsText("state"))
        .containsExactly("Running", "Running", "Running");
    return begun;
  }

  /** Lists all items, with requests to the replicas in turn. */
  private List<String> walk() throws Exception {
    List<String> all = new ArrayList<>();
    String place = "";
    int page = 0;
    do {
      JsonNode json =
          whole(
              page++ % admins.size(),
              FAILING + "/items?limit=30" + (place.isEmpty() ? "" : "&continue=" + place));
      json.path("items").forEach(item -> all.add(named(item)));
      place = json.path("continue").asText("");
    } while (!place.isEmpty());
    return all;
  }

  private static String named(JsonNode item) {
    return item.path("replica").asText() + "/" + item.path("id").asText();
  }

  /** Returns the lines of a dump of all items. */
  private List<JsonNode> dump(int replica) throws Exception {
    HttpResponse<Stream<String>> response =
        http.send(
            HttpRequest.newBuilder(URI.create(admins.get(replica) + FAILING + "/items"))
                .header("Authorization", "Bearer " + token)
                .header("Accept", "application/x-ndjson")
                .build(),
            HttpResponse.BodyHandlers.ofLines());
    assertThat(response.statusCode()).isEqualTo(200);
    List<JsonNode> lines = new ArrayList<>();
    for (String line : response.body().toList()) {
      lines.add(JSON.readTree(line));
    }
    return lines;
  }

  private static List<String> states(JsonNode answer) {
    return answer.path("replicas").findValuesAsText("state");
  }

  private JsonNode whole(int replica, String path) throws Exception {
    return awaited(
        "an answer of all",
        () -> get(replica, path),
        answer -> !answer.path("partial").asBoolean(true));
  }

  private JsonNode get(int replica, String path) throws Exception {
    return answer(replica, "GET", path, "", 200);
  }

  private JsonNode answer(int replica, String method, String path, String body, int status)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(admins.get(replica) + path))
            .header("Authorization", "Bearer " + token);
    if (!body.isEmpty()) {
      request.header("Content-Type", "application/json");
    }
    HttpResponse<String> response =
        http.send(
            request
                .method(
                    method,
                    body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(path + " " + response.body()).isEqualTo(status);
    return JSON.readTree(response.body());
  }

  private static void await(String what, Callable<Boolean> condition) throws Exception {
    awaited(what, condition, met -> met);
  }

  /**
   * Returns the first answer that is as expected. One that a busy replica does not give within two
   * seconds is partial.
   */
  private static <T> T awaited(String what, Callable<T> read, Predicate<T> expected)
      throws Exception {
    long deadline = System.nanoTime() + AWAIT_LIMIT.toNanos();
    while (true) {
      T answer = read.call();
      if (expected.test(answer)) {
        return answer;
      }
      assertThat(System.nanoTime())
          .as("waited in vain for %s, the last: %s", what, answer)
          .isLessThan(deadline);
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }
}
