// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.controllers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.admin.spi.ControllerDirectory.IdleController;
import dev.coxswain.admin.spi.ControllerDirectory.IdlePhase;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.host.config.ConfigurationLoader;
import dev.coxswain.host.config.CoxswainConfiguration;
import dev.coxswain.host.lifecycle.HostException;
import dev.coxswain.host.limiter.RetryBudgets;
import dev.coxswain.host.metrics.HostMetrics;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.WriteGuard;
import dev.coxswain.k8s.client.WriteRefusedException;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.ConditionType;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ControllerManagerTest {

  private static final long LIMIT_NANOS = Duration.ofSeconds(60).toNanos();

  private final Vertx vertx = Vertx.vertx();
  private final Vertx host = Vertx.vertx();
  private final HostMetrics metrics = new HostMetrics("test");
  private final Kubernetes nowhere = Kubernetes.at("http://127.0.0.1:1", KubernetesOptions.DEFAULT);

  @AfterEach
  void close() {
    vertx.close().await();
    host.close().await();
    metrics.close();
    nowhere.close();
  }

  @Test
  void aReplicaThatDoesNotOwnAController_cannotWriteThroughIt_andThroughOthersItCan()
      throws Exception {
    Map<String, Kubernetes> given = new ConcurrentHashMap<>();
    ControllerManager fleet =
        fleet(
            List.of(
                definition("owned", given, Ownership.LEADER),
                definition("everywhere", given, Ownership.EVERYWHERE)));
    fleet.open().await();
    fleet.guardOwned(() -> Duration.ZERO);
    assertThatThrownBy(() -> write(given.get("owned"))).isInstanceOf(WriteRefusedException.class);
    assertThatThrownBy(() -> write(given.get("everywhere")))
        .as("it was sent, to an address where nobody listens")
        .isInstanceOf(ApiStatusException.class);
    fleet.guardOwned(WriteGuard.OPEN);
    assertThatThrownBy(() -> write(given.get("owned"))).isInstanceOf(ApiStatusException.class);
    fleet.close().await();
  }

  @Test
  void aControllerThatDoesNotRunHere_isIdle_andHasAnOwner_whileOneMayActByItsLease()
      throws Exception {
    ControllerManager fleet =
        fleet(
            List.of(
                definition("owned", environment -> controller("owned", Ownership.LEADER)),
                definition("all", environment -> controller("all", Ownership.EVERYWHERE))));
    assertThat(fleet.idle()).extracting(IdleController::phase).containsOnly(IdlePhase.STARTING);
    Instant seen = Instant.parse("2026-01-01T00:00:00Z");
    AtomicReference<ControllerManager.Owner> owner =
        new AtomicReference<>(new ControllerManager.Owner("other", seen, true));
    fleet.ownedBy(() -> Optional.of(owner.get()));
    fleet.open().await();
    assertThat(fleet.idle())
        .containsExactly(new IdleController("owned", IdlePhase.STANDBY, seen, "other", true));
    assertThat(metrics.scrape(null).text())
        .contains(
            "coxswain_controller_owner{controller=\"all\"} 1.0",
            "coxswain_controller_owner{controller=\"owned\"} 1.0",
            "coxswain_controller_unowned_seconds{controller=\"owned\"} 0.0");
    fleet.leaseProblem("the API server is out of reach").await();
    assertThat(metrics.scrape(null).text())
        .as("a Lease that this replica cannot use now is still that of its owner")
        .contains("coxswain_controller_owner{controller=\"owned\"} 1.0");
    fleet.leaseProblem("").await();
    owner.set(new ControllerManager.Owner("other", seen, false));
    assertThat(fleet.idle())
        .containsExactly(new IdleController("owned", IdlePhase.STANDBY, seen, "other", false));
    assertThat(metrics.scrape(null).text())
        .contains("coxswain_controller_owner{controller=\"owned\"} 0.0")
        .doesNotContain("coxswain_controller_unowned_seconds{controller=\"owned\"} 0.0");
    fleet.lead(true).await();
    assertThat(fleet.idle()).isEmpty();
    assertThat(metrics.scrape(null).text())
        .contains("coxswain_controller_owner{controller=\"owned\"} 1.0");
    fleet.close().await();
    assertThat(fleet.idle()).extracting(IdleController::phase).containsOnly(IdlePhase.STOPPED);
  }

  @Test
  void aControllerThatDoesNotRun_blocksNoEventLoop_andHasNoFailedSource() throws Exception {
    ControllerManager fleet =
        fleet(List.of(definition("owned", environment -> controller("owned", Ownership.LEADER))));
    fleet.open().await();
    fleet.condition(ConditionType.EVENT_LOOP_BLOCKED, "from the time when it ran");
    fleet.condition(ConditionType.SOURCE_FAILED, "from the time when it ran");
    assertThat(fleet.states())
        .singleElement()
        .satisfies(state -> assertThat(state.conditions()).isEmpty());
    fleet.close().await();
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

  @Test
  void aControllerThatCannotBeBuilt_isReportedAndTriedAgain_whileOthersRun() throws Exception {
    AtomicBoolean repaired = new AtomicBoolean();
    ControllerManager fleet =
        fleet(
            List.of(
                definition("good", environment -> controller("good", Ownership.EVERYWHERE)),
                definition(
                    "bad",
                    environment -> {
                      if (!repaired.get()) {
                        throw new IllegalStateException("no such type");
                      }
                      return controller("bad", Ownership.EVERYWHERE);
                    })));
    fleet.open().await();
    assertThat(fleet.find("good")).isPresent();
    assertThat(fleet.find("bad")).isEmpty();
    assertThat(fleet.failed())
        .singleElement()
        .satisfies(failed -> {
          assertThat(failed.name()).isEqualTo("bad");
          assertThat(failed.error()).isEqualTo("no such type");
          assertThat(failed.attempts()).isPositive();
          assertThat(failed.nextAttemptAt()).isAfter(failed.failedAt());
        });
    assertThat(metrics.scrape(null).text())
        .contains(
            "coxswain_controller_start_failures_total{controller=\"bad\"} ",
            "coxswain_controller_up{controller=\"bad\"} 0.0",
            "coxswain_controller_up{controller=\"good\"} 1.0")
        .doesNotContain("coxswain_controller_start_failures_total{controller=\"bad\"} 0.0");
    repaired.set(true);
    await(() -> fleet.find("bad").isPresent());
    assertThat(fleet.failed()).isEmpty();
    fleet.close().await();
    assertThat(fleet.controllers()).isEmpty();
  }

  /** An Error in create() left the slot busy for ever: the host neither started nor stopped. */
  @Test
  void anErrorOrANullFromADefinition_isReported_andHoldsUpNeitherStartNorStop() throws Exception {
    ControllerManager fleet =
        fleet(
            List.of(
                definition("good", environment -> controller("good", Ownership.EVERYWHERE)),
                definition(
                    "error",
                    environment -> {
                      throw new AssertionError("on purpose");
                    }),
                definition("nothing", ControllerManagerTest::nothing)));
    fleet.open().timeout(20, TimeUnit.SECONDS).await();
    assertThat(fleet.find("good")).isPresent();
    assertThat(fleet.failed())
        .extracting(failed -> failed.name() + ": " + failed.error())
        .satisfiesExactly(
            error -> assertThat(error).isEqualTo("error: on purpose"),
            nothing ->
                assertThat(nothing)
                    .startsWith("nothing: the definition of controller \"nothing\" (")
                    .endsWith(") returned null instead of a controller"));
    fleet.close().timeout(20, TimeUnit.SECONDS).await();
    assertThat(fleet.controllers()).isEmpty();
  }

  @SuppressWarnings("NullAway") // what definitions compiled without our checks can do
  private static Controller<?> nothing(ControllerEnvironment environment) {
    return null;
  }

  @Test
  void aControllerWhoseSourceFails_isTriedAgainWithNewSources() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    ControllerManager fleet =
        fleet(
            List.of(
                definition(
                    "flaky",
                    environment ->
                        Controller.named("flaky")
                            .options(options -> options.withOwnership(Ownership.EVERYWHERE))
                            .watches(
                                source(
                                    calls.incrementAndGet() == 1
                                        ? Future.failedFuture("watch refused")
                                        : Future.succeededFuture()))
                            .reconciles((request, context) -> Result.done()))));
    fleet.open().await();
    await(() -> calls.get() == 2 && fleet.states().getFirst().phase() == ControllerPhase.RUNNING);
    assertThat(fleet.find("flaky")).isPresent();
    fleet.close().await();
  }

  @Test
  void onlyTheLeader_runsControllersThatOneReplicaOwns() throws Exception {
    ControllerManager fleet =
        fleet(
            List.of(
                definition("every", environment -> controller("every", Ownership.EVERYWHERE)),
                definition("owned", environment -> controller("owned", Ownership.LEADER))));
    fleet.open().await();
    assertThat(names(fleet)).containsExactly("every");
    fleet.lead(true).await();
    assertThat(names(fleet)).containsExactly("every", "owned");
    fleet.lead(false).await();
    assertThat(names(fleet)).containsExactly("every");
    fleet.lead(true).await();
    assertThat(names(fleet)).containsExactly("every", "owned");
    fleet.close().await();
    assertThat(names(fleet)).isEmpty();
  }

  @Test
  void theConfiguration_changesOptions_andReachesTheController() throws Exception {
    CountDownLatch seen = new CountDownLatch(1);
    ControllerManager fleet =
        fleet(
            List.of(
                definition(
                    "demo",
                    environment -> {
                      if (environment.config().equals(Map.of("greeting", "hello"))) {
                        seen.countDown();
                      }
                      assertThatThrownBy(() -> environment.get(String.class))
                          .hasMessageContaining("this host has no java.lang.String; it has [")
                          .hasMessageContaining("io.vertx.core.Vertx");
                      return controller("demo", Ownership.LEADER);
                    })),
            "controllers.demo.concurrency=7",
            "controllers.demo.ownership=everywhere",
            "controllers.demo.config.greeting=hello");
    fleet.open().await();
    assertThat(seen.getCount()).isZero();
    assertThat(fleet.find("demo").map(handle -> handle.options().concurrency())).hasValue(7);
    fleet.close().await();
  }

  @Test
  void aControllerThatNamesAnUnknownLimiter_isReported() throws Exception {
    ControllerManager fleet =
        fleet(
            List.of(
                definition(
                    "demo",
                    environment ->
                        Controller.named("demo")
                            .options(options ->
                                options.withOwnership(Ownership.EVERYWHERE).withBudget("vendor"))
                            .watches(source(Future.succeededFuture()))
                            .reconciles((request, context) -> Result.done()))));
    fleet.open().await();
    assertThat(fleet.failed())
        .singleElement()
        .satisfies(failed -> assertThat(failed.error()).contains("vendor", "[default]"));
    fleet.close().await();
  }

  @Test
  void aStop_letsRunningAttemptsEnd_andCancelsThemAtTheLimit() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    ControllerManager fleet =
        fleet(
            List.of(
                definition(
                    "slow",
                    environment ->
                        Controller.named("slow")
                            .options(options -> options.withOwnership(Ownership.EVERYWHERE))
                            .watches(source(Future.succeededFuture(), new Request("ns", "one")))
                            .reconciles((request, context) -> {
                              running.countDown();
                              try {
                                never.await();
                              } catch (InterruptedException e) {
                                cancelled.countDown();
                                throw e;
                              }
                              return Result.done();
                            }))),
            "drainLimit=100ms");
    fleet.open().await();
    assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
    long before = System.nanoTime();
    fleet.stopping();
    fleet.close().await();
    assertThat(Duration.ofNanos(System.nanoTime() - before))
        .isGreaterThanOrEqualTo(Duration.ofMillis(90));
    assertThat(cancelled.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(fleet.controllers()).isEmpty();
  }

  @Test
  void controllersWithTheSameName_andSettingsForUnknownOnes_areRefused() throws Exception {
    ControllerDefinition one = definition("one", _ -> controller("one", Ownership.LEADER));
    CoxswainConfiguration plain = configuration();
    assertThatThrownBy(() -> Definitions.enabled(List.of(one, one), plain))
        .isInstanceOf(HostException.class)
        .hasMessageContaining("two controllers are called \"one\"");
    CoxswainConfiguration unknown = configuration("controllers.onne.concurrency=2");
    assertThatThrownBy(() -> Definitions.enabled(List.of(one), unknown))
        .hasMessageContaining("controllers.onne: there is no controller of this name")
        .hasMessageContaining("did you mean \"one\"?");
    assertThat(Definitions.enabled(List.of(one), configuration("controllers.one.enabled=false")))
        .isEmpty();
  }

  /** The fleet worked on an event loop of the controllers and stood still with it. */
  @Test
  void controllersThatBlockAllEventLoops_holdUpNeitherStartNorLeadershipNorStop() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger blocked = new AtomicInteger();
    int loops = VertxOptions.DEFAULT_EVENT_LOOP_POOL_SIZE;
    List<ControllerDefinition> definitions = new ArrayList<>();
    definitions.add(definition("owned", environment -> controller("owned", Ownership.LEADER)));
    for (int i = 0; i <= loops; i++) {
      String name = "blocking-" + i;
      definitions.add(definition(name, environment -> blocking(name, blocked, release)));
    }
    ControllerManager fleet = fleet(definitions, "drainLimit=100ms");
    try {
      finishes(fleet.open());
      await(() -> blocked.get() == loops);
      finishes(fleet.lead(true));
      finishes(fleet.lead(false));
      fleet.stopping();
      finishes(fleet.close());
    } finally {
      release.countDown();
    }
    await(() ->
        fleet.states().stream().allMatch(state -> state.phase() == ControllerPhase.STOPPED)
            && fleet.controllers().isEmpty());
  }

  private static void finishes(Future<Void> future) throws Exception {
    future.toCompletionStage().toCompletableFuture().get(40, TimeUnit.SECONDS);
  }

  private static Controller<Request> blocking(
      String name, AtomicInteger blocked, CountDownLatch release) {
    return Controller.named(name)
        .options(options -> options.withOwnership(Ownership.EVERYWHERE))
        .watches(source(Future.succeededFuture(), new Request("default", "one")))
        .reconcilesAsync((request, context) -> {
          blocked.incrementAndGet();
          try {
            release.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return Future.succeededFuture(Result.done());
        });
  }

  private ControllerManager fleet(List<ControllerDefinition> definitions, String... settings)
      throws Exception {
    CoxswainConfiguration configuration = configuration(settings);
    return new ControllerManager(
        vertx,
        host,
        configuration,
        definitions,
        Map.of(Vertx.class, vertx, Kubernetes.class, nowhere),
        RetryBudgets.local(configuration, Clock.system()),
        metrics,
        Clock.system());
  }

  private static CoxswainConfiguration configuration(String... settings) throws Exception {
    return ConfigurationLoader.load(null, Map.of(), List.of(settings));
  }

  private static ControllerDefinition definition(
      String name, Function<ControllerEnvironment, Controller<?>> create) {
    return new ControllerDefinition() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public Controller<?> create(ControllerEnvironment environment) {
        return create.apply(environment);
      }
    };
  }

  private static Controller<Request> controller(String name, Ownership ownership) {
    return Controller.named(name)
        .options(options -> options.withOwnership(ownership))
        .watches(source(Future.succeededFuture()))
        .reconciles((request, context) -> Result.done());
  }

  private static EventSource<Request> source(Future<Void> synced, Request... requests) {
    return new EventSource<>() {
      @Override
      public String describe() {
        return "test";
      }

      @Override
      public Future<Void> start(EventSink<Request> sink) {
        for (Request request : requests) {
          sink.add(request);
        }
        Promise<Void> promise = Promise.promise();
        synced.onComplete(promise);
        return promise.future();
      }

      @Override
      public Future<Void> stop() {
        return Future.succeededFuture();
      }
    };
  }

  private static List<String> names(ControllerManager fleet) {
    return fleet.controllers().stream().map(ControllerHandle::name).sorted().toList();
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + LIMIT_NANOS;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waited too long").isLessThan(deadline);
      LockSupport.parkNanos(1_000_000);
    }
  }
}
