// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.explain;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * One object in each situation in which it is not reconciled: the answer names the cause that someone sees who looks
 * at the cluster from outside. The answers are printed.
 */
@SuppressWarnings("NullAway.Init") // objects() starts the webhook
abstract class WhyNotReconciled extends ThreeReplicas {

  private static final String HOOK = "policy.why.example.com";

  private static final int OTHERS = 2_100;

  private static final int HEALTHY = 40;
  private static final int FAILING = 20;
  private static final int WITHOUT_TOKENS = 30;

  private final SituationPictures pictures;
  private DenyingWebhook webhook;

  WhyNotReconciled(Stage stage) {
    super(stage);
    pictures = new SituationPictures(folder, report.path("adminToken").asText());
  }

  @AfterEach
  void end() throws Exception {
    pictures.close();
    if (webhook != null) {
      webhook.close();
    }
  }

  @Test
  void everySituation_isNamedByItsCause() throws Exception {
    objects();
    settled();

    answer(1, "healthy-0", "succeeded", "Reconciled successfully at", "enqueue it");
    answer(3, "never", "notInCache", "The API server has no ConfigMap of this namespace and name");
    answer(4, "unlabelled", "leftOut", "its labels {team=red} do not match", "\"app=why\"");
    answer(5, "ignored-0", "leftOut", "The predicate of source");
    call("DELETE", path(WhyController.MAIN, "later-0"), "{\"reason\":\"INC-7 moved away\"}");
    answer(6, "later-0", "dropped", "Dropped by ", "(INC-7 moved away)");
    answer(7, "terminal-0", "terminal", "No retry is scheduled");
    answer(9, "failing-0", "backoff", "Failed 1 time; the next attempt is due at");
    answer(18, "denied-0", "writeDenied", "Admission webhook \"" + HOOK + "\" denied");
    delete("healthy-1");
    await(() -> explain(WhyController.MAIN, "healthy-1").path("reason").asText().equals("deleted"));
    answer(14, "healthy-1", "deleted", "The object was deleted. Last: Reconciled successfully");

    new ExplanationLists(this).areWhole();
    limiter();
    exhausted();
    JsonNode absent = explain(WhyController.ABSENT, WhyController.MAIN, "any");
    shown(17, absent, "notSynced", "gadgets", "404");
    paused();
    pluginRemoved();
    afterManyOthers();
    moved();
    takenOver();
    unreachable();
  }

  private void objects() throws Exception {
    for (String name :
        List.of(
            WhyController.MAIN, WhyController.TOKENS, WhyController.STUCK, WhyController.GUARDED)) {
      kubernetes
          .resource(V1Namespace.class)
          .create(new V1Namespace().metadata(new V1ObjectMeta().name(name)));
    }
    webhook = DenyingWebhook.start(folder, HOOK);
    webhook.guard(kubernetes, WhyController.GUARDED);
    for (int i = 0; i < HEALTHY; i++) {
      create(WhyController.MAIN, "healthy-" + i, Map.of("app", "why"));
    }
    for (String name : List.of("ignored-0", "later-0", "terminal-0", "denied-0")) {
      create(WhyController.MAIN, name, Map.of("app", "why"));
    }
    for (int i = 0; i < FAILING; i++) {
      create(WhyController.MAIN, "failing-" + i, Map.of("app", "why"));
    }
    create(WhyController.MAIN, "unlabelled", Map.of("team", "red"));
    for (int i = 0; i < WITHOUT_TOKENS; i++) {
      create(WhyController.TOKENS, "waiting-" + i, Map.of());
      create(WhyController.STUCK, "stuck-" + i, Map.of());
    }
  }

  private void create(String namespace, String name, Map<String, String> labels) {
    kubernetes
        .resource(V1ConfigMap.class)
        .create(
            new V1ConfigMap()
                .metadata(new V1ObjectMeta().namespace(namespace).name(name).labels(labels)));
  }

  private void delete(String name) {
    kubernetes.resource(V1ConfigMap.class).delete(Request.of(WhyController.MAIN, name));
  }

  /** Waits until each object is in its situation. */
  private void settled() throws IOException {
    for (Map.Entry<String, String> one :
        Map.of(
                "healthy-0", "succeeded",
                "later-0", "scheduled",
                "terminal-0", "terminal",
                "failing-0", "backoff",
                "denied-0", "writeDenied")
            .entrySet()) {
      await(
          one.getKey() + " is " + one.getValue(),
          () -> reason(WhyController.MAIN, one.getKey()).equals(one.getValue()));
    }
  }

  private void limiter() throws Exception {
    List<String> waiting = new ArrayList<>();
    await(() -> {
      waiting.clear();
      for (int i = 0; i < WITHOUT_TOKENS; i++) {
        String name = "waiting-" + i;
        if (reason(WhyController.TOKENS, name).equals("waitingToken")) {
          waiting.add(name);
        }
      }
      return waiting.size() > WITHOUT_TOKENS / 2;
    });
    ctl("limiters", "set", "default", "--rate=0.1", "--burst=5", "--ttl=10m", "--reason=INC-8");
    await(() -> {
      for (String name : waiting) {
        JsonNode why = explain(WhyController.TOKENS, WhyController.TOKENS, name);
        if (why.path("message").asText().contains("by an override that ends at")) {
          shown(10, why, "waitingToken", "0.1 a second by an override that ends at", "expected at");
          return true;
        }
      }
      return false;
    });
  }

  private void exhausted() throws IOException {
    await(() -> {
      for (int i = 0; i < WITHOUT_TOKENS; i++) {
        JsonNode why = explain(WhyController.STUCK, WhyController.STUCK, "stuck-" + i);
        if (why.path("reason").asText().equals("overdue")) {
          shown(15, why, "overdue", "ran into its time limit");
          return true;
        }
      }
      return false;
    });
    await(() -> {
      for (int i = 0; i < WITHOUT_TOKENS; i++) {
        JsonNode why = explain(WhyController.STUCK, WhyController.STUCK, "stuck-" + i);
        if (why.path("reason").asText().equals("workersExhausted")) {
          shown(16, why, "workersExhausted", "No worker is left", "number");
          return true;
        }
      }
      return false;
    });
  }

  private void paused() throws IOException {
    call(
        "POST",
        "/api/v1/controllers/" + WhyController.MAIN + "/pause",
        "{\"reason\":\"INC-9\",\"duration\":\"1h\"}");
    await(() -> reason(WhyController.MAIN, "failing-0").equals("paused"));
    answer(8, "failing-0", "paused", "paused by ", "(INC-9)", "Failed 1 time");
    call(
        "POST",
        "/api/v1/controllers/" + WhyController.MAIN + "/resume",
        "{\"reason\":\"INC-9 is over\"}");
    await(() -> reason(WhyController.MAIN, "failing-0").equals("backoff"));
  }

  private void pluginRemoved() throws IOException {
    String path = "/api/v1/controllers/tidy";
    await(() -> send("GET", path, "").statusCode() == 200);
    Files.delete(folder.resolve("plugins").resolve("tidy.jar"));
    await(() -> {
      HttpResponse<String> gone = send("GET", path, "");
      if (gone.statusCode() != 404 || !gone.body().contains("whose files were removed at")) {
        return false;
      }
      pictures.take(
          19,
          report.get("replicas").get(0).get("admin").asText(),
          "controllers/tidy",
          "404: " + JSON.readTree(gone.body()).path("detail").asText(),
          "whose files were removed at");
      return true;
    });
  }

  /** Others succeed, more than the records of former versions held. */
  private void afterManyOthers() throws IOException {
    for (int i = 0; i < OTHERS; i++) {
      create(WhyController.MAIN, "other-" + i, Map.of("app", "why"));
    }
    String last = "other-" + (OTHERS - 1);
    await(last + " has succeeded", () -> reason(WhyController.MAIN, last).equals("succeeded"));
    for (int i = 2; i < HEALTHY; i++) {
      answer(2, "healthy-" + i, "succeeded", "Reconciled successfully at");
    }
  }

  private void moved() throws IOException {
    JsonNode before = explain(WhyController.MAIN, "failing-0");
    String owner = before.at("/slot/owner").asText();
    List<String> there = new ArrayList<>();
    for (int i = 0; i < FAILING; i++) {
      if (explain(WhyController.MAIN, "failing-" + i).at("/slot/owner").asText().equals(owner)) {
        there.add("failing-" + i);
      }
    }
    call("POST", "/api/v1/replicas/" + owner + "/drain", "{\"reason\":\"INC-10\"}");
    // Not all of them: a slot with an attempt that does not end is not handed over.
    await(
        "one of " + there + " has another owner",
        () -> {
          for (String name : there) {
            JsonNode now = explain(WhyController.MAIN, name);
            String owns = now.at("/slot/owner").asText();
            if (!owns.equals(owner) && now.path("reason").asText().equals("backoff")) {
              assertThat(now.at("/item/failures").asInt()).isEqualTo(1);
              assertThat(now.at("/item/lastError").asText()).contains("the disk is full");
              shown(13, now, "backoff", "Failed 1 time", "is owned by " + owns);
              JsonNode past = now.path("attempts").get(0);
              assertThat(past.path("replica").asText()).as("%s", now).isEqualTo(owner);
              assertThat(past.path("outcome").asText()).isEqualTo("error");
              assertThat(past.at("/change/parts").toString()).isEqualTo("[\"created\"]");
              return true;
            }
          }
          return false;
        });
    call("DELETE", "/api/v1/replicas/" + owner + "/drain", "{\"reason\":\"INC-10 is over\"}");
  }

  /** The owner freezes; when its Lease has ended, another replica loads its objects. */
  private void takenOver() throws Exception {
    // Slots come back to the replica that was drained: until the owner of this one stays.
    AtomicReference<String> frozenReplica = new AtomicReference<>();
    await(
        "the owner of failing-0 is frozen",
        () -> {
          String owns = explain(WhyController.MAIN, "failing-0").at("/slot/owner").asText();
          if (owns.isEmpty()) {
            return false;
          }
          signal("STOP", pid(owns));
          if (!explainElsewhere(owns, "failing-0").body().contains(owns)) {
            signal("CONT", pid(owns));
            return false;
          }
          frozenReplica.set(owns);
          return true;
        });
    String owner = frozenReplica.get();
    // Before its Lease ends, so that the load of its slots is seen.
    fault(
        "{\"kind\":\"latency\",\"delay\":\"3s\",\"verbs\":[\"list\"],\"resources\":[\"configmaps\"]}");
    String admin = adminOfOther(owner);
    HttpResponse<String> frozen = explainElsewhere(owner, "failing-0");
    String detail = JSON.readTree(frozen.body()).path("detail").asText();
    pictures.take(
        11,
        admin,
        "objects?namespace="
            + WhyController.MAIN
            + "&name=failing-0&controller="
            + WhyController.MAIN,
        frozen.statusCode() + ": " + detail,
        owner);
    JsonNode replicas =
        JSON.readTree(send(admin, "GET", "/api/v1/replicas", "").body()).path("items");
    for (JsonNode replica : replicas) {
      if (replica.path("replica").asText().equals(owner)) {
        assertThat(replica.path("state").asText()).isNotEqualTo("ok");
        pictures.take(
            20,
            admin,
            "replicas",
            "The list of replicas: `" + owner + "` is `" + replica.path("state").asText() + "`",
            owner);
      }
    }
    await(() -> {
      for (int i = 2; i < HEALTHY; i++) {
        HttpResponse<String> now = explainElsewhere(owner, "healthy-" + i);
        JsonNode why = JSON.readTree(now.body());
        if (why.path("reason").asText().equals("loading")) {
          shown(admin, 12, why, "loading", "is loading the objects of its slot");
          return true;
        }
      }
      return false;
    });
    call(report.get("apiServer").asText(), "DELETE", "/coxswain/faults", "");
    signal("CONT", pid(owner));
    await(() -> reason(WhyController.MAIN, "failing-0").equals("backoff"));
  }

  private void unreachable() throws IOException {
    try {
      fault("{\"kind\":\"refuseConnections\",\"mode\":\"closed\",\"duration\":\"30s\"}");
    } catch (IOException e) {
      // it may reset the connection of this very request
    }
    await(() -> reason(WhyController.MAIN, "failing-0").equals("apiServerUnreachable"));
    // Slots come back to the replica that was frozen: one of them may be moving just now.
    await(() -> {
      for (int i = 0; i < FAILING; i++) {
        JsonNode why = explain(WhyController.MAIN, "failing-" + i);
        if (why.path("message").asText().contains("Failed 1 time")) {
          shown(21, why, "apiServerUnreachable", "has not answered replica", "Failed 1 time");
          return true;
        }
      }
      return false;
    });
    JsonNode controller =
        JSON.readTree(send("GET", "/api/v1/controllers/" + WhyController.MAIN, "").body());
    assertThat(controller.path("conditions").toString()).contains("apiServerUnreachable");
    assertThat(send("GET", "/api/v1/replicas", "").body()).contains("apiServerUnreachable");
    await(() -> {
      JsonNode why = explain(WhyController.MAIN, "failing-0");
      return why.path("message").asText().contains("has not renewed its Lease in time");
    });
    shown(
        21,
        explain(WhyController.MAIN, "failing-0"),
        "apiServerUnreachable",
        "starts nothing before it has");
    await(() -> reason(WhyController.MAIN, "failing-0").equals("backoff"));
  }

  private void answer(int situation, String name, String reason, String... parts)
      throws IOException {
    shown(situation, explain(WhyController.MAIN, name), reason, parts);
  }

  private void shown(int situation, JsonNode why, String reason, String... parts)
      throws IOException {
    shown(report.get("replicas").get(0).get("admin").asText(), situation, why, reason, parts);
  }

  private void shown(String admin, int situation, JsonNode why, String reason, String... parts)
      throws IOException {
    String message = why.path("message").asText();
    assertThat(why.path("reason").asText()).as("%s", why).isEqualTo(reason);
    assertThat(message).contains(parts);
    pictures.object(
        situation,
        admin,
        why.path("controller").asText(),
        Request.of(why.at("/key/namespace").asText(), why.at("/key/name").asText()),
        reason,
        message);
  }
}
