// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.admin.spi.ControllerDirectory.IdleController;
import dev.coxswain.admin.spi.ControllerDirectory.IdlePhase;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.WriteGuard;
import dev.coxswain.reconcile.LostOwnershipException;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.sharding.internal.view.SlotOwners.Owner;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.ConditionType;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Controllers that one replica owns run, and write, on that replica only. */
class ControllerOwnershipTest extends ControllerManagerFixture {

  @Test
  void aReplicaThatDoesNotOwnAController_cannotWriteThroughIt_andThroughOthersItCan()
      throws Exception {
    Map<String, Kubernetes> given = new ConcurrentHashMap<>();
    ControllerManager manager =
        manager(
            List.of(
                definition("owned", given, Ownership.LEADER),
                definition("everywhere", given, Ownership.EVERYWHERE)));
    owned = () -> Duration.ZERO;
    manager.open().await();
    assertThatThrownBy(() -> write(given.get("owned"))).isInstanceOf(LostOwnershipException.class);
    assertThatThrownBy(() -> write(given.get("everywhere")))
        .as("sent to an address where no server listens")
        .isInstanceOf(ApiStatusException.class);
    owned = WriteGuard.OPEN;
    assertThatThrownBy(() -> write(given.get("owned"))).isInstanceOf(ApiStatusException.class);
    manager.close().await();
  }

  @Test
  void aControllerThatDoesNotRunHere_isIdle_andHasAnOwner_whileOneMayActByItsLease()
      throws Exception {
    ControllerManager manager =
        manager(
            List.of(
                definition("owned", environment -> controller("owned", Ownership.LEADER)),
                definition("all", environment -> controller("all", Ownership.EVERYWHERE))));
    assertThat(manager.snapshot().idle())
        .extracting(IdleController::phase)
        .containsOnly(IdlePhase.STARTING);
    Instant seen = Instant.parse("2026-01-01T00:00:00Z");
    AtomicReference<Owner> owner = new AtomicReference<>(new Owner("other", seen, true));
    owners = _ -> Optional.of(owner.get());
    manager.open().await();
    assertThat(manager.snapshot().idle())
        .containsExactly(new IdleController("owned", IdlePhase.STANDBY, seen, "other", true));
    assertThat(metrics.scrape(null).text())
        .contains(
            "coxswain_controller_owner{controller=\"all\"} 1.0",
            "coxswain_controller_owner{controller=\"owned\"} 1.0",
            "coxswain_controller_unowned_seconds{controller=\"owned\"} 0.0");
    manager.slotControllers().problem("the API server is out of reach");
    await(() -> !manager.snapshot().failed().isEmpty());
    assertThat(metrics.scrape(null).text())
        .as("a Lease that this replica cannot use now is still that of its owner")
        .contains("coxswain_controller_owner{controller=\"owned\"} 1.0");
    manager.slotControllers().problem("");
    await(() -> manager.snapshot().failed().isEmpty());
    owner.set(new Owner("other", seen, false));
    assertThat(manager.snapshot().idle())
        .containsExactly(new IdleController("owned", IdlePhase.STANDBY, seen, "other", false));
    assertThat(metrics.scrape(null).text())
        .contains("coxswain_controller_owner{controller=\"owned\"} 0.0")
        .doesNotContain("coxswain_controller_unowned_seconds{controller=\"owned\"} 0.0");
    lead(manager);
    await(() -> manager.snapshot().idle().isEmpty());
    assertThat(metrics.scrape(null).text())
        .contains("coxswain_controller_owner{controller=\"owned\"} 1.0");
    manager.close().await();
    assertThat(manager.snapshot().idle())
        .extracting(IdleController::phase)
        .containsOnly(IdlePhase.STOPPED);
  }

  /** Otherwise each few slots take the two minutes that a load has. The server refuses connections. */
  @Test
  void slots_areTaken_thoughTheSourceOfAController_waitsForWhatItReads() throws Exception {
    AtomicReference<Duration> passed = new AtomicReference<>(Duration.ZERO);
    clock = new LaterClock(passed);
    ControllerManager manager =
        manager(
            List.of(
                definition(
                    "absent",
                    environment ->
                        Controller.named("absent")
                            .watches(
                                environment
                                    .get(Kubernetes.class)
                                    .kind(V1ConfigMap.class)
                                    .toSource())
                            .reconciles((request, context) -> Result.done()))));
    lead(manager);
    manager.open().await();
    await(() ->
        manager.controllers().stream()
            .anyMatch(handle -> handle.status().sources().getFirst().problem() != null));

    Future<Void> held = manager.slotControllers().hold(List.of(0));

    assertThat(held.isComplete()).as("it may be installed at this moment").isFalse();
    await(() -> {
      passed.updateAndGet(before -> before.plusSeconds(1));
      return held.isComplete();
    });
    manager.close().await();
  }

  /** A list that has failed once and is read again needs its time, on a server that is well. */
  @Test
  void slots_areNotTaken_whileASourceReads_thatHasFailedBefore() throws Exception {
    AtomicInteger looks = new AtomicInteger();
    AtomicReference<Duration> passed = new AtomicReference<>(Duration.ZERO);
    clock = new LaterClock(passed);
    Promise<Void> synced = Promise.promise();
    EventSource<Request> reading =
        new EventSource<>() {
          @Override
          public String describe() {
            return "reading";
          }

          @Override
          public Future<Void> start(EventSink<Request> sink) {
            return synced.future();
          }

          @Override
          public Future<Void> stop() {
            return Future.succeededFuture();
          }

          @Override
          public boolean isWaiting() {
            passed.updateAndGet(before -> before.plusSeconds(11));
            return looks.incrementAndGet() % 2 == 1;
          }
        };
    ControllerManager manager =
        manager(
            List.of(
                definition(
                    "reading",
                    environment ->
                        Controller.named("reading")
                            .watches(reading)
                            .reconciles((request, context) -> Result.done()))));
    lead(manager);
    manager.open().await();
    await(() -> !manager.controllers().isEmpty());

    Future<Void> held = manager.slotControllers().hold(List.of(0));

    await(() -> looks.get() >= 4);
    assertThat(held.isComplete()).isFalse();
    synced.complete();
    await(held::isComplete);
    manager.close().await();
  }

  @Test
  void aControllerThatDoesNotRun_blocksNoEventLoop_andHasNoFailedSource() throws Exception {
    ControllerManager manager =
        manager(List.of(definition("owned", environment -> controller("owned", Ownership.LEADER))));
    manager.open().await();
    manager.condition(ConditionType.EVENT_LOOP_BLOCKED, "from the time when it ran");
    manager.condition(ConditionType.SOURCE_FAILED, "from the time when it ran");
    assertThat(manager.states())
        .singleElement()
        .satisfies(state -> assertThat(state.conditions()).isEmpty());
    manager.close().await();
  }

  @Test
  void onlyTheLeader_runsControllersThatOneReplicaOwns() throws Exception {
    ControllerManager manager =
        manager(
            List.of(
                definition("every", environment -> controller("every", Ownership.EVERYWHERE)),
                definition("owned", environment -> controller("owned", Ownership.LEADER))));
    manager.open().await();
    assertThat(names(manager)).containsExactly("every");
    lead(manager);
    await(() -> names(manager).equals(List.of("every", "owned")));
    stopLeading(manager).await();
    await(() -> names(manager).equals(List.of("every")));
    lead(manager);
    await(() -> names(manager).equals(List.of("every", "owned")));
    manager.close().await();
    assertThat(names(manager)).isEmpty();
  }

  private static ControllerDefinition definition(
      String name, Map<String, Kubernetes> given, Ownership ownership) {
    return definition(
        name,
        environment -> {
          given.put(name, environment.get(Kubernetes.class));
          return controller(name, ownership);
        });
  }

  private static void write(@Nullable Kubernetes kubernetes) {
    Objects.requireNonNull(kubernetes).resource(V1ConfigMap.class).delete(Request.of("a", "x"));
  }

  /** The system's clock, and some time later. */
  private record LaterClock(AtomicReference<Duration> passed) implements Clock {
    @Override
    public long nanos() {
      return Clock.system().nanos() + passed.get().toNanos();
    }

    @Override
    public Instant instant() {
      return Clock.system().instant().plus(passed.get());
    }
  }
}
