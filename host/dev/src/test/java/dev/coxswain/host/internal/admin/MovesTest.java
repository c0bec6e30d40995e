// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.source.ChannelSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Two hosts, between which most slots move while an operator works with a long queue. */
@Order(1) // takes long
class MovesTest extends ReplicaFixture {

  private static final int ITEMS = 10_000;
  private static final int BATCH = 500;
  private static final int SLOTS = 64;

  private final Map<String, AtomicInteger> attempts = new ConcurrentHashMap<>();
  private final Map<String, String> attemptedBy = new ConcurrentHashMap<>();
  private final Moving ofOne = new Moving("one");
  private final Replica one = replica(ofOne, 1);
  private final Replica two = replica(new Moving("two"), 7);

  @Test
  void schedule21_aPauseHolds_noItemIsLost_andAnOperationCountsWhatMoved() {
    one.startUntilReady();
    one.admin.pause("moving", "{\"reason\":\"test\"}");
    ofOne.offerAll();
    JsonNode preview = operate("\"dryRun\":true", 200);
    assertThat(preview.path("matched").asInt()).isEqualTo(ITEMS);
    JsonNode begun =
        operate("\"confirmToken\":\"" + preview.path("confirmToken").asText() + "\"", 202);
    two.startUntilReady();
    String path = "/operations/" + begun.path("id").asText();
    Admin.await(() -> !one.admin.get(path).path("state").asText().equals("Running"));
    Admin.await(() -> one.areSlotsAtRest(SLOTS, SLOTS / 4));

    JsonNode ended = one.admin.get(path);
    int applied = ended.path("applied").asInt();
    int moved = ended.path("moved").asInt();
    assertThat(moved).as(ended.toString()).isPositive();
    assertThat(applied + moved).as(ended.toString()).isEqualTo(ITEMS);
    assertThat(ended.path("state").asText()).isEqualTo("PartiallySucceeded");
    assertThat(attempts).as("started although the controller is paused").isEmpty();

    two.admin.change("POST", "/controllers/moving/resume", "{\"reason\":\"test\"}", 200);
    Admin.await(() -> attempts.size() == ITEMS - applied);
    assertThat(attempts.values()).allMatch(count -> count.get() == 1);
    Admin.await(() -> delayed() == applied);

    String key = attemptedByTwo();
    one.admin.change(
        "POST",
        "/controllers/moving/items",
        "{\"namespace\":\"default\",\"name\":\"" + key + "\",\"reason\":\"test\"}",
        201);
    Admin.await(() -> count(key) == 2);
    assertThat(attemptedBy).as("by its owner").containsEntry(key, "two");
  }

  private int delayed() {
    return one.admin.get("/controllers/moving").path("counts").path("delayed").asInt(-1);
  }

  private String attemptedByTwo() {
    return attemptedBy.entrySet().stream()
        .filter(entry -> entry.getValue().equals("two"))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElseThrow();
  }

  private int count(String key) {
    AtomicInteger count = attempts.get(key);
    return count == null ? 0 : count.get();
  }

  private JsonNode operate(String more, int status) {
    return one.admin.change(
        "POST",
        "/controllers/moving/operations",
        "{\"action\":\"requeue\",\"delay\":\"10h\",\"all\":true,\"itemsPerSecond\":200,"
            + "\"reason\":\"test\","
            + more
            + "}",
        status);
  }

  private Replica replica(Moving moving, int weight) {
    return replica(
        moving.replica,
        List.of(moving),
        "membership.renewPeriod=200ms",
        "membership.weight=" + weight);
  }

  private final class Moving implements ControllerDefinition {
    private final String replica;
    private final ChannelSource<Request> channel = new ChannelSource<>("calls");

    Moving(String replica) {
      this.replica = replica;
    }

    /** Adds requests that no object brings, so that they are nowhere but in the queue. */
    void offerAll() {
      Admin.await(() -> offered(Request.of("default", "key0")).accepted());
      for (int from = 1; from < ITEMS; from += BATCH) {
        List<Future<ChannelSource.Outcome>> outcomes = new ArrayList<>();
        for (int i = from; i < Math.min(from + BATCH, ITEMS); i++) {
          outcomes.add(channel.offer(Request.of("default", "key" + i)));
        }
        assertThat(Future.all(outcomes).await().<ChannelSource.Outcome>list())
            .allMatch(ChannelSource.Outcome::accepted);
      }
    }

    private ChannelSource.Outcome offered(Request request) {
      return channel.offer(request).await();
    }

    @Override
    public String name() {
      return "moving";
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      return Controller.named("moving")
          .watches(channel)
          .reconciles((request, context) -> {
            attempts.computeIfAbsent(request.name(), _ -> new AtomicInteger()).incrementAndGet();
            attemptedBy.put(request.name(), replica);
            return Result.done();
          });
    }
  }
}
