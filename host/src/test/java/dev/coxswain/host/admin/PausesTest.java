// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.Host;
import dev.coxswain.host.config.ConfigurationLoader;
import dev.coxswain.host.metrics.HostMetrics;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import dev.coxswain.time.Clock;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.vertx.core.Future;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A pause holds on every replica and after a restart; it is kept by the API server or not made. */
class PausesTest {

  private static final List<String> NAMES = List.of("one", "two", "three");
  private static final Request STORE = Request.of("default", "coxswain-pauses");

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(
          EmbeddedApiServerOptions.defaults()
              .withTokens(
                  List.of(new Token("of-root", "root", List.of("system:masters")), Guide.HOST)));
  private final Kubernetes root = Guide.access(server, "of-root");
  private final HttpClient http = HttpClient.newHttpClient();
  private final List<Host> hosts = new ArrayList<>();
  private final AtomicInteger attempts = new AtomicInteger();

  @BeforeEach
  void giveTheRights() {
    Guide.apply(server);
  }

  @AfterEach
  void close() {
    hosts.forEach(host -> host.stop().await());
    root.close();
    http.close();
    server.close();
  }

  @Test
  void aPause_holdsOnEveryReplica_andAfterARestart_untilItIsEnded() throws Exception {
    Host first = host("first");
    Host second = host("second");
    assertThat(change(first, "one", "pause", "{\"reason\":\"INC-1\"}").statusCode()).isEqualTo(200);
    await(() -> shown(second, "one").at("/pause/reason").asText().equals("INC-1"));
    assertThat(shown(second, "two").path("paused").asBoolean()).isFalse();
    first.stop().await();
    second.stop().await();
    int before = attempts.get();

    Host third = host("third");
    await(() -> shown(third, "one").path("state").asText().equals("running"));
    await(() -> shown(third, "one").at("/counts/ready").asInt() == 1);
    await(() -> attempts.get() == before + 2); // of the two others
    assertThat(shown(third, "one").at("/pause/reason").asText()).isEqualTo("INC-1");
    assertThat(shown(third, "one").at("/totals/added").asInt()).isEqualTo(1);
    Host fourth = host("fourth");
    assertThat(change(fourth, "one", "resume", "{\"reason\":\"over\"}").statusCode())
        .isEqualTo(200);
    await(() -> !shown(third, "one").path("paused").asBoolean());
    await(() -> shown(third, "one").path("total").asInt() == 0);
  }

  @Test
  void pausesOfManyAtOnce_areAllKept() throws Exception {
    Host first = host("first");
    Host second = host("second");
    List<CompletableFuture<Integer>> sent = new ArrayList<>();
    for (int i = 0; i < NAMES.size(); i++) {
      Host host = i % 2 == 0 ? first : second;
      String name = NAMES.get(i);
      sent.add(
          CompletableFuture.supplyAsync(() ->
              change(host, name, "pause", "{\"reason\":\"x\",\"duration\":\"1h\"}").statusCode()));
    }
    assertThat(sent).allMatch(status -> status.join() == 200);
    V1ConfigMap kept = root.resource(V1ConfigMap.class).get(STORE).orElseThrow();
    assertThat(kept.getData()).containsOnlyKeys(NAMES);
    for (Host host : hosts) {
      for (String name : NAMES) {
        await(() -> shown(host, name).path("paused").asBoolean());
      }
    }
  }

  @Test
  void aPauseWithAnEnd_endsOnEveryReplica() throws Exception {
    Host first = host("first");
    Host second = host("second");
    Instant until = Instant.now().plusSeconds(20);
    assertThat(
            change(first, "one", "pause", "{\"reason\":\"x\",\"until\":\"" + until + "\"}")
                .statusCode())
        .isEqualTo(200);
    await(() -> shown(second, "one").path("paused").asBoolean());
    assertThat(Instant.parse(shown(second, "one").at("/pause/until").asText()))
        .isBetween(until.minusSeconds(5), until.plusSeconds(5));
    await(() -> !shown(first, "one").path("paused").asBoolean());
    await(() -> !shown(second, "one").path("paused").asBoolean());
    assertThat(Instant.now()).isAfter(until.minusSeconds(1));
  }

  @Test
  void aConfigMapThatIsNotThere_andMayNotBeMade_refusesThePause_untilItIsThere() throws Exception {
    root.resource(V1ConfigMap.class).delete(STORE);
    Host host = host("first");
    HttpResponse<String> refused = change(host, "one", "pause", "{\"reason\":\"x\"}");
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);
    assertThat(refused.body()).contains("pause-not-stored");
    assertThat(shown(host, "one").path("paused").asBoolean()).isFalse();
    Guide.apply(server);
    assertThat(change(host, "one", "pause", "{\"reason\":\"x\"}").statusCode()).isEqualTo(200);
    assertThat(shown(host, "one").path("paused").asBoolean()).isTrue();
  }

  @Test
  void aConfigMapThatSomebodyEdits_isFollowed_andWhatCannotBeReadIsNoPause() throws Exception {
    Host host = host("first");
    root.resource(V1ConfigMap.class)
        .modify(
            STORE,
            map ->
                map.setData(
                    Map.of(
                        "one",
                        "{\"reason\":\"by hand\",\"since\":\"2026-11-20T10:00:00Z\"}",
                        "two",
                        "not what it should be",
                        "three",
                        "{\"since\":\"yesterday\"}")));
    await(() -> shown(host, "one").at("/pause/reason").asText().equals("by hand"));
    assertThat(shown(host, "two").path("paused").asBoolean()).isFalse();
    assertThat(shown(host, "three").path("paused").asBoolean()).isFalse();
    root.resource(V1ConfigMap.class).delete(STORE);
    await(() -> !shown(host, "one").path("paused").asBoolean());
  }

  @Test
  void withoutItsApiServer_aPauseIsRefused_andNothingIsPaused() throws Exception {
    Host host = host("first");
    server.close();
    HttpResponse<String> answer = change(host, "one", "pause", "{\"reason\":\"x\"}");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
    assertThat(shown(host, "one").path("paused").asBoolean()).isFalse();
  }

  private Host host(String name) throws Exception {
    Host host =
        new Host(
            ConfigurationLoader.load(
                null,
                Map.of(),
                List.of(
                    "replicaName=" + name,
                    "admin.port=0",
                    "admin.auth.mode=none",
                    "metrics.port=0",
                    "health.port=0")),
            NAMES.stream().<ControllerDefinition>map(Counter::new).toList(),
            Guide.access(server, Guide.HOST.token()),
            new HostMetrics(name),
            Clock.system());
    hosts.add(host);
    host.start().await();
    host.ready().await();
    return host;
  }

  private HttpResponse<String> change(Host host, String controller, String what, String body) {
    return send(
        HttpRequest.newBuilder(URI.create(address(host, controller) + "/" + what))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  private JsonNode shown(Host host, String controller) {
    try {
      return new ObjectMapper()
          .readTree(send(HttpRequest.newBuilder(URI.create(address(host, controller)))).body());
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static String address(Host host, String controller) {
    return host.report().admin() + "/api/v1/controllers/" + controller;
  }

  private HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as("did not become true within 60 s").isNegative();
      LockSupport.parkNanos(5_000_000);
    }
  }

  /** Counts the attempts of one object. */
  private final class Counter implements ControllerDefinition {
    private final String name;

    Counter(String name) {
      this.name = name;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      return Controller.named(name)
          .watches(new OneObject())
          .reconciles((request, context) -> {
            attempts.incrementAndGet();
            return Result.done();
          });
    }
  }

  private static final class OneObject implements EventSource<Request> {
    @Override
    public String describe() {
      return "one object";
    }

    @Override
    public Future<Void> start(EventSink<Request> sink) {
      sink.add(new Request("default", "one"));
      return Future.succeededFuture();
    }

    @Override
    public Future<Void> stop() {
      return Future.succeededFuture();
    }
  }
}
