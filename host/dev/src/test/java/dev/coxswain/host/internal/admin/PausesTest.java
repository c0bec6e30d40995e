// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.fault.ActiveFault;
import dev.coxswain.apiserver.fault.Effect;
import dev.coxswain.apiserver.fault.Fault;
import dev.coxswain.apiserver.fault.FaultFilter;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A pause holds on every replica and after a restart; it is kept by the API server or not made. */
@Order(1) // takes long
class PausesTest extends ReplicaFixture {

  private static final List<String> NAMES = List.of("one", "two", "three");
  private static final String UNKNOWN = "pausesUnknown";
  private static final FaultFilter OF_PAUSES =
      FaultFilter.resources("configmaps").withVerbs("list", "watch");
  private static final Request STORE = Request.of("default", "coxswain-pauses");

  private final AtomicInteger attempts = new AtomicInteger();

  PausesTest() {
    super(Guide.ROOT);
  }

  @BeforeEach
  void giveTheRights() {
    Guide.apply(server);
  }

  @Test
  void aPause_holdsOnEveryReplica_andAfterARestart_untilItIsEnded() {
    Replica first = host("first");
    Replica second = host("second");
    first.admin.pause("one", "{\"reason\":\"INC-1\"}");
    Admin.await(() -> shown(second, "one").at("/pause/reason").asText().equals("INC-1"));
    assertThat(shown(second, "two").path("paused").asBoolean()).isFalse();
    // Once more through the other replica changes nothing, and the answer has that.
    String kept =
        Objects.requireNonNull(user.resource(V1ConfigMap.class).get(STORE).orElseThrow().getData())
            .get("one");
    assertThat(change(second, "one", "pause", "{\"reason\":\"INC-1\"}").body())
        .contains("\"result\":\"skipped\"", "it is paused already");
    assertThat(user.resource(V1ConfigMap.class).get(STORE).orElseThrow().getData())
        .containsEntry("one", kept);
    assertThat(change(first, "two", "resume", "{\"reason\":\"x\"}").body())
        .contains("\"result\":\"skipped\"", "it is not paused");
    long since = millis(new JsonObject(kept).getString("since"));
    assertThat(millis(shown(first, "one").at("/pause/since").asText())).isEqualTo(since);
    assertThat(millis(shown(second, "one").at("/pause/since").asText())).isEqualTo(since);
    first.stop();
    second.stop();
    int before = attempts.get();

    Replica third = host("third");
    Admin.await(() -> shown(third, "one").path("state").asText().equals("running"));
    Admin.await(() -> shown(third, "one").at("/counts/ready").asInt() == 1);
    Admin.await(() -> attempts.get() == before + 2); // of the two others
    assertThat(shown(third, "one").at("/pause/reason").asText()).isEqualTo("INC-1");
    assertThat(millis(shown(third, "one").at("/pause/since").asText())).isEqualTo(since);
    assertThat(shown(third, "one").at("/totals/added").asInt()).isEqualTo(1);
    Replica fourth = host("fourth");
    Admin.await(() -> change(fourth, "one", "resume", "{\"reason\":\"over\"}").statusCode() == 200);
    Admin.await(() -> !shown(third, "one").path("paused").asBoolean());
    Admin.await(() -> shown(third, "one").path("total").asInt() == 0);
  }

  private static long millis(String time) {
    return Instant.parse(time).toEpochMilli();
  }

  private @Nullable String stored(String entry) {
    Map<String, String> data = user.resource(V1ConfigMap.class).get(STORE).orElseThrow().getData();
    return data == null ? null : data.get(entry);
  }

  private int undone(Replica host, String request) {
    return host.admin
        .change("POST", "/changes/" + request + "/undo", "{\"reason\":\"x\"}")
        .statusCode();
  }

  @Test
  void theUndoOfAResume_restoresWhatWasStored_andOfTwoAtOnceOneIsMade() {
    Replica first = host("first");
    Replica second = host("second");
    first.admin.pause("one", "{\"reason\":\"INC-1\",\"duration\":\"1h\"}");
    String kept = stored("one");
    Admin.await(() -> shown(second, "one").path("paused").asBoolean());
    String resume =
        change(second, "one", "resume", "{\"reason\":\"x\"}")
            .headers()
            .firstValue("X-Request-Id")
            .orElseThrow();
    assertThat(stored("one")).isNull();
    Admin.await(() -> first.admin.get("/changes").toString().contains(resume)); // from the store
    CompletableFuture<Integer> other = CompletableFuture.supplyAsync(() -> undone(first, resume));
    assertThat(List.of(undone(second, resume), other.join())).containsExactlyInAnyOrder(200, 409);
    assertThat(stored("one")).isEqualTo(kept);
    Admin.await(() -> shown(first, "one").at("/pause/reason").asText().equals("INC-1"));
    assertThat(undone(first, resume)).isEqualTo(409);
    assertThat(stored("one")).isEqualTo(kept);
  }

  @Test
  void pausesOfManyAtOnce_areAllKept() {
    Replica first = host("first");
    Replica second = host("second");
    List<CompletableFuture<Void>> sent = new ArrayList<>();
    for (int i = 0; i < NAMES.size(); i++) {
      Replica host = i % 2 == 0 ? first : second;
      String name = NAMES.get(i);
      sent.add(
          CompletableFuture.runAsync(
              () -> host.admin.pause(name, "{\"reason\":\"x\",\"duration\":\"1h\"}")));
    }
    sent.forEach(CompletableFuture::join);
    V1ConfigMap kept = user.resource(V1ConfigMap.class).get(STORE).orElseThrow();
    assertThat(kept.getData()).containsOnlyKeys(NAMES);
    for (Replica host : replicas) {
      for (String name : NAMES) {
        Admin.await(() -> shown(host, name).path("paused").asBoolean());
      }
    }
  }

  @Test
  void aPauseWithAnEnd_endsOnEveryReplica() {
    Replica first = host("first");
    Replica second = host("second");
    first.admin.pause("one", "{\"reason\":\"so that the next one is in time\"}");
    Instant until = Instant.now().plusSeconds(8);
    first.admin.pause("one", "{\"reason\":\"x\",\"until\":\"" + until + "\"}");
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
    user.resource(V1ConfigMap.class).delete(STORE);
    Replica host = host("first");
    Admin.await(() -> {
      HttpResponse<String> refused = change(host, "one", "pause", "{\"reason\":\"x\"}");
      assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);
      return refused.body().contains("pause-not-stored");
    });
    assertThat(shown(host, "one").path("paused").asBoolean()).isFalse();
    Guide.apply(server);
    host.admin.pause("one", "{\"reason\":\"x\"}");
    assertThat(shown(host, "one").path("paused").asBoolean()).isTrue();
  }

  @Test
  void aConfigMapThatSomebodyEdits_isFollowed_andWhatCannotBeReadIsNoPause() {
    Replica host = host("first");
    user.resource(V1ConfigMap.class)
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
    user.resource(V1ConfigMap.class).delete(STORE);
    Admin.await(() -> !shown(host, "one").path("paused").asBoolean());
  }

  @Test
  void withoutItsApiServer_aPauseIsRefused_andNothingIsPaused() {
    Replica host = host("first");
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
    user.resource(V1ConfigMap.class)
        .createOrPatch(
            STORE,
            V1ConfigMap::new,
            map ->
                map.putDataItem(
                    "one", "{\"reason\":\"INC-1\",\"since\":\"2026-11-20T10:00:00Z\"}"));
    ActiveFault trouble = server.faults().inject(fault);
    Replica host = started("first");
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
      return user.resource(V1ConfigMap.class).get(STORE).isPresent();
    } catch (ApiStatusException e) {
      return false;
    }
  }

  @Test
  void aStartTimeout_startsAttemptsWithoutKnowingThePauses_andStillShowsIt() {
    server.faults().inject(Fault.fail(500).on(OF_PAUSES));
    Replica host = started("first", "changes.pauses.startTimeout=100ms");
    Admin.await(() -> attempts.get() == 3);
    Admin.await(() -> shown(host, "two").at("/conditions/0/type").asText().equals(UNKNOWN));
  }

  private Replica host(String name) {
    Replica host = started(name);
    host.host.ready().await();
    return host;
  }

  private Replica started(String name, String... settings) {
    List<String> all = new ArrayList<>(List.of(settings));
    NAMES.forEach(one -> all.add("controllers." + one + ".ownership=everywhere"));
    Replica host =
        replica(
            name,
            NAMES.stream().<ControllerDefinition>map(this::counter).toList(),
            all.toArray(String[]::new));
    host.start();
    return host;
  }

  private HttpResponse<String> change(Replica host, String controller, String what, String body) {
    return host.admin.change("POST", "/controllers/" + controller + "/" + what, body);
  }

  private JsonNode shown(Replica host, String controller) {
    return host.admin.get("/controllers/" + controller);
  }

  /** Counts the attempts of one object. */
  private Definition counter(String name) {
    return new Definition(
        name,
        _ ->
            Controller.named(name)
                .watches(oneObject())
                .reconciles((request, context) -> {
                  attempts.incrementAndGet();
                  return Result.done();
                }));
  }
}
