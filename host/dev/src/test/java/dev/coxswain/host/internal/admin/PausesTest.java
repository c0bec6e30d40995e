// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import dev.coxswain.apiserver.fault.ActiveFault;
import dev.coxswain.apiserver.fault.Effect;
import dev.coxswain.apiserver.fault.Fault;
import dev.coxswain.apiserver.fault.FaultFilter;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.internal.Host;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.source.PeriodicSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A pause holds on every replica and after a restart; it is kept by the API server or not made. */
@Order(1) // takes long
class PausesTest {

  private static final List<String> NAMES = List.of("one", "two", "three");
  private static final String UNKNOWN = "pausesUnknown";
  private static final FaultFilter OF_PAUSES =
      FaultFilter.resources("configmaps").withVerbs("list", "watch");
  private static final Request STORE = Request.of("default", "coxswain-pauses");

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(
          EmbeddedApiServerOptions.defaults()
              .withTokens(
                  List.of(new Token("of-root", "root", List.of("system:masters")), Guide.HOST)));
  private final Kubernetes root = Guide.access(server, "of-root");
  private final List<Host> hosts = new ArrayList<>();
  private final Map<Host, Admin> admins = new ConcurrentHashMap<>();
  private final AtomicInteger attempts = new AtomicInteger();

  @BeforeEach
  void giveTheRights() {
    Guide.apply(server);
  }

  @AfterEach
  void close() {
    hosts.forEach(host -> host.stop().await());
    root.close();
    admins.values().forEach(Admin::close);
    server.close();
  }

  @Test
  void aPause_holdsOnEveryReplica_andAfterARestart_untilItIsEnded() {
    Host first = host("first");
    Host second = host("second");
    admin(first).pause("one", "{\"reason\":\"INC-1\"}");
    Admin.await(() -> shown(second, "one").at("/pause/reason").asText().equals("INC-1"));
    assertThat(shown(second, "two").path("paused").asBoolean()).isFalse();
    // Once more through the other replica changes nothing, and the answer has that.
    String kept =
        Objects.requireNonNull(root.resource(V1ConfigMap.class).get(STORE).orElseThrow().getData())
            .get("one");
    assertThat(change(second, "one", "pause", "{\"reason\":\"INC-1\"}").body())
        .contains("\"result\":\"skipped\"", "it is paused already");
    assertThat(root.resource(V1ConfigMap.class).get(STORE).orElseThrow().getData())
        .containsEntry("one", kept);
    assertThat(change(first, "two", "resume", "{\"reason\":\"x\"}").body())
        .contains("\"result\":\"skipped\"", "it is not paused");
    long since = millis(new JsonObject(kept).getString("since"));
    assertThat(millis(shown(first, "one").at("/pause/since").asText())).isEqualTo(since);
    assertThat(millis(shown(second, "one").at("/pause/since").asText())).isEqualTo(since);
    first.stop().await();
    second.stop().await();
    int before = attempts.get();

    Host third = host("third");
    Admin.await(() -> shown(third, "one").path("state").asText().equals("running"));
    Admin.await(() -> shown(third, "one").at("/counts/ready").asInt() == 1);
    Admin.await(() -> attempts.get() == before + 2); // of the two others
    assertThat(shown(third, "one").at("/pause/reason").asText()).isEqualTo("INC-1");
    assertThat(millis(shown(third, "one").at("/pause/since").asText())).isEqualTo(since);
    assertThat(shown(third, "one").at("/totals/added").asInt()).isEqualTo(1);
    Host fourth = host("fourth");
    Admin.await(() -> change(fourth, "one", "resume", "{\"reason\":\"over\"}").statusCode() == 200);
    Admin.await(() -> !shown(third, "one").path("paused").asBoolean());
    Admin.await(() -> shown(third, "one").path("total").asInt() == 0);
  }

  private static long millis(String time) {
    return Instant.parse(time).toEpochMilli();
  }

  private @Nullable String stored(String entry) {
    Map<String, String> data = root.resource(V1ConfigMap.class).get(STORE).orElseThrow().getData();
    return data == null ? null : data.get(entry);
  }

  private int undone(Host host, String request) {
    return admin(host)
        .change("POST", "/changes/" + request + "/undo", "{\"reason\":\"x\"}")
        .statusCode();
  }

  @Test
  void theUndoOfAResume_restoresWhatWasStored_andOfTwoAtOnceOneIsMade() {
    Host first = host("first");
    Host second = host("second");
    admin(first).pause("one", "{\"reason\":\"INC-1\",\"duration\":\"1h\"}");
    String kept = stored("one");
    Admin.await(() -> shown(second, "one").path("paused").asBoolean());
    String resume =
        change(second, "one", "resume", "{\"reason\":\"x\"}")
            .headers()
            .firstValue("X-Request-Id")
            .orElseThrow();
    assertThat(stored("one")).isNull();
    Admin.await(() -> admin(first).get("/changes").toString().contains(resume)); // from the store
    CompletableFuture<Integer> other = CompletableFuture.supplyAsync(() -> undone(first, resume));
    assertThat(List.of(undone(second, resume), other.join())).containsExactlyInAnyOrder(200, 409);
    assertThat(stored("one")).isEqualTo(kept);
    Admin.await(() -> shown(first, "one").at("/pause/reason").asText().equals("INC-1"));
    assertThat(undone(first, resume)).isEqualTo(409);
    assertThat(stored("one")).isEqualTo(kept);
  }

  @Test
  void pausesOfManyAtOnce_areAllKept() {
    Host first = host("first");
    Host second = host("second");
    List<CompletableFuture<Void>> sent = new ArrayList<>();
    for (int i = 0; i < NAMES.size(); i++) {
      Host host = i % 2 == 0 ? first : second;
      String name = NAMES.get(i);
      sent.add(
          CompletableFuture.runAsync(
              () -> admin(host).pause(name, "{\"reason\":\"x\",\"duration\":\"1h\"}")));
    }
    sent.forEach(CompletableFuture::join);
    V1ConfigMap kept = root.resource(V1ConfigMap.class).get(STORE).orElseThrow();
    assertThat(kept.getData()).containsOnlyKeys(NAMES);
    for (Host host : hosts) {
      for (String name : NAMES) {
        Admin.await(() -> shown(host, name).path("paused").asBoolean());
      }
    }
  }

  @Test
  void aPauseWithAnEnd_endsOnEveryReplica() {
    Host first = host("first");
    Host second = host("second");
    admin(first).pause("one", "{\"reason\":\"so that the next one is in time\"}");
    Instant until = Instant.now().plusSeconds(8);
    admin(first).pause("one", "{\"reason\":\"x\",\"until\":\"" + until + "\"}");
    Admin.await(() -> shown(second, "one").path("pause").has("until"));
    assertThat(millis(shown(second, "one").at("/pause/until").asText()))
        .isEqualTo(millis(shown(first, "one").at("/pause/until").asText()))
        .isBetween(until.toEpochMilli() - 1, until.toEpochMilli() + 1);
    Admin.await(() -> !shown(first, "one").path("paused").asBoolean());
    Admin.await(() -> !shown(second, "one").path("paused").asBoolean());
    assertThat(Instant.now()).isAfter(until.minusSeconds(1));
  }

  @Test
  void aConfigMapThatIsNotThere_andMayNotBeMade_refusesThePause_untilItIsThere() {
    root.resource(V1ConfigMap.class).delete(STORE);
    Host host = host("first");
    Admin.await(() -> {
      HttpResponse<String> refused = change(host, "one", "pause", "{\"reason\":\"x\"}");
      assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);
      return refused.body().contains("pause-not-stored");
    });
    assertThat(shown(host, "one").path("paused").asBoolean()).isFalse();
    Guide.apply(server);
    admin(host).pause("one", "{\"reason\":\"x\"}");
    assertThat(shown(host, "one").path("paused").asBoolean()).isTrue();
  }

  @Test
  void aConfigMapThatSomebodyEdits_isFollowed_andWhatCannotBeReadIsNoPause() {
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
    Admin.await(() -> shown(host, "one").at("/pause/reason").asText().equals("by hand"));
    assertThat(shown(host, "two").path("paused").asBoolean()).isFalse();
    assertThat(shown(host, "three").path("paused").asBoolean()).isFalse();
    root.resource(V1ConfigMap.class).delete(STORE);
    Admin.await(() -> !shown(host, "one").path("paused").asBoolean());
  }

  @Test
  void withoutItsApiServer_aPauseIsRefused_andNothingIsPaused() {
    Host host = host("first");
    server.close();
    HttpResponse<String> answer = change(host, "one", "pause", "{\"reason\":\"x\"}");
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(503);
    assertThat(shown(host, "one").path("paused").asBoolean()).isFalse();
  }

  static Stream<Arguments> troubles() {
    return Stream.of(
        Arguments.of("latency", Fault.latency(Duration.ofSeconds(15)).on(OF_PAUSES)),
        Arguments.of("500", Fault.fail(500).on(OF_PAUSES)),
        Arguments.of("403", Fault.fail(403).on(OF_PAUSES)),
        Arguments.of("refused", Fault.refuseConnections(Effect.RefuseMode.CLOSED)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("troubles")
  void untilThePausesAreKnown_noAttemptStarts_andThatIsShown(String name, Fault fault) {
    root.resource(V1ConfigMap.class)
        .createOrPatch(
            STORE,
            V1ConfigMap::new,
            map ->
                map.putDataItem(
                    "one", "{\"reason\":\"INC-1\",\"since\":\"2026-11-20T10:00:00Z\"}"));
    ActiveFault trouble = server.faults().inject(fault);
    Host host = started("first");
    Admin.await(() -> shown(host, "two").at("/conditions/0/type").asText().equals(UNKNOWN));
    assertThat(shown(host, "two").at("/pause/reason").asText()).contains("pauses are unknown");
    assertThat(attempts).hasValue(0);

    server.faults().clear(trouble.id());
    Admin.await(this::isAnswering);
    Admin.await(() -> attempts.get() == 2);
    Admin.await(() -> shown(host, "one").at("/pause/reason").asText().equals("INC-1"));
    assertThat(shown(host, "two").path("conditions").isEmpty()).isTrue();
  }

  /** Of its own: a server that does not come back is not a fault of the pauses. */
  private boolean isAnswering() {
    try {
      return root.resource(V1ConfigMap.class).get(STORE).isPresent();
    } catch (ApiStatusException e) {
      return false;
    }
  }

  @Test
  void aStartTimeout_startsAttemptsWithoutKnowingThePauses_andStillShowsIt() {
    server.faults().inject(Fault.fail(500).on(OF_PAUSES));
    Host host = started("first", "changes.pauses.startTimeout=100ms");
    Admin.await(() -> attempts.get() == 3);
    Admin.await(() -> shown(host, "two").at("/conditions/0/type").asText().equals(UNKNOWN));
  }

  private Host host(String name) {
    Host host = started(name);
    host.ready().await();
    return host;
  }

  private Host started(String name, String... settings) {
    List<String> all = new ArrayList<>(List.of(settings));
    NAMES.forEach(one -> all.add("controllers." + one + ".ownership=everywhere"));
    Host host =
        new Host(
            Admin.configuration(name, all.toArray(String[]::new)),
            NAMES.stream().<ControllerDefinition>map(Counter::new).toList(),
            Guide.access(server, Guide.HOST.token()),
            new HostMetrics(name),
            Clock.system());
    hosts.add(host);
    host.start().await();
    return host;
  }

  private HttpResponse<String> change(Host host, String controller, String what, String body) {
    return admin(host).change("POST", "/controllers/" + controller + "/" + what, body);
  }

  private JsonNode shown(Host host, String controller) {
    return admin(host).get("/controllers/" + controller);
  }

  private Admin admin(Host host) {
    return admins.computeIfAbsent(host, Admin::new);
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
          .watches(
              new PeriodicSource<>(
                  "one object", Duration.ofHours(1), () -> List.of(new Request("default", "one"))))
          .reconciles((request, context) -> {
            attempts.incrementAndGet();
            return Result.done();
          });
    }
  }
}
