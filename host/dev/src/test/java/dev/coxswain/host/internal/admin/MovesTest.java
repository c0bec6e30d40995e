// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.internal.Host;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.source.ChannelSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Two hosts, between which most slots move while an operator works with a long queue. */
@Order(1) // takes long
class MovesTest {

  private static final int ITEMS = 10_000;
  private static final int BATCH = 500;
  private static final int SLOTS = 64;

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final Map<String, AtomicInteger> attempts = new ConcurrentHashMap<>();
  private final Map<String, String> attemptedBy = new ConcurrentHashMap<>();
  private final Replica one = new Replica("one", 1);
  private final Replica two = new Replica("two", 7);

  @AfterEach
  void stop() {
    one.stop();
    two.stop();
    server.close();
  }

  @Test
  void schedule21_aPauseHolds_noItemIsLost_andAnOperationCountsWhatMoved() {
    one.start();
    one.admin.pause("moving", "{\"reason\":\"test\"}");
    one.offerAll();
    JsonNode preview = operate("\"dryRun\":true", 200);
    assertThat(preview.path("matched").asInt()).isEqualTo(ITEMS);
    JsonNode begun =
        operate("\"confirmToken\":\"" + preview.path("confirmToken").asText() + "\"", 202);
    two.start();
    String path = "/operations/" + begun.path("id").asText();
    Admin.await(() -> !one.admin.get(path).path("state").asText().equals("Running"));
    Admin.await(this::areSlotsAtRest);

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

  private boolean areSlotsAtRest() {
    JsonNode slots = one.admin.get("/slots");
    int open = 0;
    boolean few = false;
    for (JsonNode share : slots.path("shares")) {
      open += share.path("open").asInt();
      few |=
          share.path("replica").asText().equals("one") && share.path("slots").asInt() < SLOTS / 4;
    }
    return few && open == SLOTS && slots.path("counts").path("owned").asInt() == SLOTS;
  }

  private final class Replica {
    private final String name;
    private final ChannelSource<Request> channel = new ChannelSource<>("calls");
    private final Host host;
    private final Admin admin;
    private boolean stopped;

    Replica(String name, int weight) {
      this.name = name;
      host =
          new Host(
              Admin.configuration(
                  name, "membership.renewPeriod=200ms", "membership.weight=" + weight),
              List.of(new Moving()),
              Kubernetes.at(server.url(), KubernetesOptions.DEFAULT),
              new HostMetrics(name),
              Clock.system());
      admin = new Admin(host);
    }

    void start() {
      host.start().await();
      host.ready().await();
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

    void stop() {
      if (!stopped) {
        stopped = true;
        admin.close();
        host.stop().await();
      }
    }

    private final class Moving implements ControllerDefinition {
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
              attemptedBy.put(request.name(), name);
              return Result.done();
            });
      }
    }
  }
}
