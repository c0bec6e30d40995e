// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.host.e2e.process.ApiCalls;
import dev.coxswain.host.e2e.process.ClusterViews;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.SlotShares;
import dev.coxswain.testing.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three real processes with one budget, of which one runs the controllers of a leader, until it is killed: the cap
 * holds, the others go on, and one of them leads.
 */
@Order(1) // takes long
class KilledReplicaIT extends ClusterViews {

  private static final List<String> TWO_OK = List.of("ok", "ok");
  private static final String MIRROR = "/api/v1/controllers/config-mirror";
  private static final String TRIALS = "/api/v1/controllers/error-backoff";

  /** Those of the leader. */
  private static final List<String> LED = List.of("config-mirror", "cron", "error-backoff");

  private static final int RATE = 10;
  private static final int BURST = 20;
  private static final String LIMITER = "/api/v1/limiters/default";

  @TempDir private Path folder;

  /** The API listed nothing with {@code partial: false}, and knew none of the controllers of a leader. */
  @Test
  void aKilledLeader_leavesControllersWithoutOwner_untilAnotherLeads_andTheCapOfRetriesIsKept()
      throws Exception {
    Path starts = Files.createDirectory(folder.resolve("starts"));
    try (Launcher dev = start(starts)) {
      JsonNode report = JSON.readTree(dev.firstLine());
      token = report.get("adminToken").asText();
      JsonNode replicas = report.get("replicas");
      List<ProcessHandle> processes = new ArrayList<>();
      List<String> names = new ArrayList<>();
      List<Path> records = new ArrayList<>();
      for (JsonNode replica : replicas) {
        admins.add(replica.get("admin").asText());
        names.add(replica.get("name").asText());
        processes.add(dev.child(replica.get("pid").asLong()));
        records.add(starts.resolve(replica.get("pid").asLong() + ".starts"));
        assertThat(replica.get("limiter").asText()).startsWith("127.0.0.1:");
      }
      for (JsonNode replica : replicas) {
        Await.until("every replica to use the pool", AWAIT_LIMIT, () -> fromPool(replica) > 0);
        JsonNode limiter = json(replica.get("admin").asText() + LIMITER);
        assertThat(limiter.get("mode").asText()).isEqualTo("hazelcast");
      }
      slowDownAndBack(replicas);
      long before = count(records);
      Await.until("some time of all three", AWAIT_LIMIT, () -> count(records) > before + 100);
      assertThat(text(replicas.get(0).get("metrics").asText() + "/metrics"))
          .contains("coxswain_limiter_members 3.0", "coxswain_replica_leases_held 3.0");

      int leader = names.indexOf(leader(names.size()));
      String operation = forgotten(replicas.get(leader), leader);
      String pause = pausedAt(replicas.get(leader));
      processes.get(leader).destroyForcibly();
      processes.get(leader).onExit().orTimeout(1, TimeUnit.MINUTES).join();

      List<Integer> others = new ArrayList<>(List.of(0, 1, 2));
      others.remove(Integer.valueOf(leader));
      int via = others.getFirst();
      isWithoutOwner(via, names.get(leader));
      Await.until(
          "the message on the screen",
          AWAIT_LIMIT,
          () -> dev.errors().contains("exit code 137, 2 of 3 still running"));
      for (int other : others) {
        List<Path> record = List.of(records.get(other));
        long then = count(record);
        Await.until("the others to go on", AWAIT_LIMIT, () -> count(record) > then + 20);
        JsonNode replica = replicas.get(other);
        long granted = fromPool(replica);
        Await.until(
            "the others to go on with the pool",
            AWAIT_LIMIT,
            () -> fromPool(replica) > granted + 20);
      }
      await("another one to lead", () -> led(get(via, "/api/v1/controllers")) == LED.size());
      // Its replica Lease may end later than that of the election, and until then it is missing.
      await("the killed one to be gone", () -> states(get(via, REPLICAS)).equals(TWO_OK));
      JsonNode list = whole(via, "/api/v1/controllers");
      assertThat(states(list)).isEqualTo(TWO_OK);
      assertThat(list.path("items").findValuesAsText("replica")).doesNotContain(names.get(leader));
      answer(via, "GET", TRIALS + "/items", "", 200);
      isListedAndUndone(via, replicas.get(via), pause, names.get(leader));
      assertThat(get(via, "/api/v1/operations/" + operation).path("state").asText())
          .isEqualTo("Succeeded");
      Await.until(
          "the expired replica Lease to be released",
          AWAIT_LIMIT,
          () ->
              text(replicas.get(via).get("metrics").asText() + "/metrics")
                  .contains("coxswain_replica_leases_held 2.0"));
      isOneEvent(report.get("apiServer").asText(), via, names.get(leader));

      dev.terminate();
      assertThat(dev.exitCode()).as(dev.errors()).isZero();
    }

    assertThat(check(starts, RATE, BURST)).contains("3 files: the cap was kept");
    // The check can fail: half the rate has certainly been exceeded.
    assertThat(check(starts, RATE / 2.0, BURST)).contains("the cap was EXCEEDED");
  }

  /** Both replicas that are left have seen it, and each has written an Event of the same name. */
  private void isOneEvent(String apiServer, int via, String dead) throws Exception {
    await(
        "both to have seen it",
        () ->
            get(via, "/api/v1/timeline?type=replicaLeft")
                .path("items")
                .findValues("replicas")
                .stream()
                .anyMatch(replicas -> replicas.size() == 2));
    String events = apiServer + "/apis/events.k8s.io/v1/namespaces/default/events";
    List<JsonNode> lost = new ArrayList<>();
    Await.until(
        "an Event",
        AWAIT_LIMIT,
        () -> {
          lost.clear();
          json(events)
              .path("items")
              .forEach(event -> {
                if (event.path("reason").asText().equals("ReplicaLost")) {
                  lost.add(event);
                }
              });
          return !lost.isEmpty();
        });
    assertThat(lost).hasSize(1);
    JsonNode event = lost.getFirst();
    assertThat(event.path("note").asText()).contains("Replica " + dead);
    assertThat(event.path("type").asText()).isEqualTo("Warning");
    assertThat(event.at("/regarding/kind").asText()).isEqualTo("Lease");
    assertThat(event.at("/regarding/uid").asText()).isNotEmpty();
    assertThat(event.path("reportingController").asText()).isEqualTo("coxswain.dev/host");
  }

  private Launcher start(Path starts) throws Exception {
    List<String> arguments =
        new ArrayList<>(List.of("dev", "--json", "--ports=auto", "--replicas=3", "--examples"));
    for (String setting :
        List.of(
            "logging.level=error",
            "membership.leaseDuration=30s",
            "membership.renewPeriod=2s",
            "limiters.default={rate: " + RATE + ", burst: " + BURST + "}",
            "controllers.failing.config.folder=" + starts,
            "controllers.fleet.enabled=false",
            "controllers.pod-simulator.enabled=false",
            "controllers.training-job.enabled=false")) {
      arguments.add("--set=" + setting);
    }
    LED.forEach(name -> arguments.add("--set=controllers." + name + ".ownership=leader"));
    return Launcher.start(
        folder,
        Map.of("COXSWAIN_CLASSPATH", FailingPlugin.put(folder).toString()),
        arguments.toArray(String[]::new));
  }

  /** Waits until one of the replicas runs the controllers of a leader, and returns its name. */
  private String leader(int replicas) throws Exception {
    for (int replica : List.of(0, 1)) {
      await("all to run", () -> led(get(replica, "/api/v1/controllers")) == LED.size());
    }
    await("all three to be seen", () -> states(get(0, REPLICAS)).equals(List.of("ok", "ok", "ok")));
    // Until then a controller may go from one replica to another between two looks.
    await("slots that no longer move", () -> SlotShares.areEven(get(0, "/api/v1/slots"), replicas));
    await(
        "each controller to run on one replica",
        () -> {
          int sum = 0;
          for (int replica = 0; replica < replicas; replica++) {
            sum += led(get(replica, "/api/v1/controllers?scope=local"));
          }
          return sum == LED.size();
        });
    return get(0, TRIALS).path("replica").asText();
  }

  /** Returns how many controllers of a leader run. */
  private static int led(JsonNode list) {
    int running = 0;
    for (JsonNode controller : list.path("items")) {
      boolean one = LED.contains(controller.path("name").asText());
      running += one && controller.path("state").asText().equals("running") ? 1 : 0;
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
    assertThat(list.path("items").findValuesAsText("name")).containsAll(LED);
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

  /** Forgets the failures of an item by a replica that is killed then; returns the operation. */
  private String forgotten(JsonNode replica, int index) throws Exception {
    String order =
        "{\"action\":\"forget\",\"selector\":{\"name\":\"always-fails-1\"},\"reason\":\"test\"}";
    String id = send(replica, "POST", TRIALS + "/operations", order).path("id").asText();
    await(
        "the operation to end",
        () -> get(index, "/api/v1/operations/" + id).path("state").asText().equals("Succeeded"));
    return id;
  }

  /** Pauses a controller by a replica that is killed when it has stored the record; returns the request. */
  private String pausedAt(JsonNode replica) throws Exception {
    String pause = "{\"reason\":\"INC-9\"}";
    send(replica, "POST", MIRROR + "/pause", pause);
    Await.until(
        "the records to be stored",
        AWAIT_LIMIT,
        () ->
            text(replica.get("metrics").asText() + "/metrics")
                .contains("coxswain_history_waiting_entries 0.0"));
    JsonNode made = json(replica.get("admin").asText() + "/api/v1/changes?action=pause");
    assertThat(made.path("items").findValuesAsText("requestId")).hasSize(1);
    return made.at("/items/0/requestId").asText();
  }

  /** The change of a killed replica is one row at the others, and is undone there. */
  private void isListedAndUndone(int via, JsonNode replica, String request, String killed)
      throws Exception {
    await("the controller to be paused", () -> get(via, MIRROR).path("paused").asBoolean());
    JsonNode changes = get(via, "/api/v1/changes?action=pause");
    assertThat(changes.path("items").findValuesAsText("requestId")).containsExactly(request);
    JsonNode change = changes.at("/items/0");
    // Where the controller ran elsewhere its owner has a record, too.
    assertThat(change.path("replicas").valueStream().map(JsonNode::asText))
        .as(change.toString())
        .contains(killed);
    assertThat(change.path("undo").asText()).as(change.toString()).isEqualTo("possible");
    send(replica, "POST", "/api/v1/changes/" + request + "/undo", "{\"reason\":\"test\"}");
    await("the controller to be resumed", () -> !get(via, MIRROR).path("paused").asBoolean());
    JsonNode refused =
        answer(via, "POST", "/api/v1/changes/" + request + "/undo", "{\"reason\":\"test\"}", 409);
    assertThat(refused.path("type").asText()).endsWith("/change-undone");
  }

  /** What is set at one replica holds on all of them, and is ended at any. */
  private void slowDownAndBack(JsonNode replicas) throws Exception {
    String order = "{\"rate\":5,\"ttl\":\"10m\",\"reason\":\"test\"}";
    send(replicas.get(0), "PATCH", LIMITER, order);
    for (JsonNode replica : replicas) {
      String address = replica.get("admin").asText() + LIMITER;
      Await.until(
          "the override",
          AWAIT_LIMIT,
          () -> json(address).get("source").asText().equals("override"));
      assertThat(json(address).get("refillPerSecond").asDouble()).isEqualTo(5);
    }
    send(replicas.get(2), "DELETE", LIMITER + "/override", "{\"reason\":\"test\"}");
    for (JsonNode replica : replicas) {
      String address = replica.get("admin").asText() + LIMITER;
      Await.until(
          "its end", AWAIT_LIMIT, () -> json(address).get("source").asText().equals("config"));
    }
  }

  private JsonNode send(JsonNode replica, String method, String path, String body)
      throws Exception {
    HttpResponse<String> response =
        ApiCalls.change(
            http,
            HttpRequest.newBuilder(URI.create(replica.get("admin").asText() + path))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .method(method, HttpRequest.BodyPublishers.ofString(body)));
    assertThat(response.statusCode()).as(response.body()).isIn(200, 202);
    return JSON.readTree(response.body());
  }

  /** Runs the command that checks recorded starts. */
  private String check(Path starts, double rate, int burst) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("limiter", "check"));
    try (Stream<Path> files = Files.list(starts)) {
      files.map(Path::toString).forEach(arguments::add);
    }
    arguments.addAll(List.of("--rate=" + rate, "--burst=" + burst));
    try (Launcher check = Launcher.start(folder, Map.of(), arguments.toArray(String[]::new))) {
      int code = check.exitCode();
      assertThat(code).isEqualTo(check.output().contains("EXCEEDED") ? 1 : 0);
      return check.output();
    }
  }

  private static long count(List<Path> records) throws IOException {
    long count = 0;
    for (Path record : records) {
      count += Files.exists(record) ? Files.readAllLines(record).size() : 0;
    }
    return count;
  }

  private long fromPool(JsonNode replica) throws Exception {
    String sample = "coxswain_limiter_granted_total{limiter=\"default\",source=\"pool\"} ";
    return text(replica.get("metrics").asText() + "/metrics")
        .lines()
        .filter(line -> line.startsWith(sample))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(sample.length())))
        .findFirst()
        .orElse(0);
  }

  private JsonNode json(String url) throws Exception {
    return JSON.readTree(text(url));
  }

  private String text(String url) throws Exception {
    return ApiCalls.text(http, token, url);
  }
}
