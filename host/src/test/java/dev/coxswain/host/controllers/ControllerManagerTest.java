// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.controllers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.admin.spi.ControllerDirectory;
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
    ControllerManager manager =
        manager(
            List.of(
                definition("owned", given, Ownership.LEADER),
                definition("everywhere", given, Ownership.EVERYWHERE)));
    manager.open().await();
    manager.guardOwned(() -> Duration.ZERO);
    assertThatThrownBy(() -> write(given.get("owned"))).isInstanceOf(WriteRefusedException.class);
    assertThatThrownBy(() -> write(given.get("everywhere")))
        .as("it was sent, to an address where nobody listens")
        .isInstanceOf(ApiStatusException.class);
    manager.guardOwned(WriteGuard.OPEN);
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
    AtomicReference<ControllerManager.Owner> owner =
        new AtomicReference<>(new ControllerManager.Owner("other", seen, true));
    manager.ownedBy(() -> Optional.of(owner.get()));
    manager.open().await();
    assertThat(manager.snapshot().idle())
        .containsExactly(new IdleController("owned", IdlePhase.STANDBY, seen, "other", true));
    assertThat(metrics.scrape(null).text())
        .contains(
            "coxswain_controller_owner{controller=\"all\"} 1.0",
            "coxswain_controller_owner{controller=\"owned\"} 1.0",
            "coxswain_controller_unowned_seconds{controller=\"owned\"} 0.0");
    manager.leaseProblem("the API server is out of reach").await();
    assertThat(metrics.scrape(null).text())
        .as("a Lease that this replica cannot use now is still that of its owner")
        .contains("coxswain_controller_owner{controller=\"owned\"} 1.0");
    manager.leaseProblem("").await();
    owner.set(new ControllerManager.Owner("other", seen, false));
    assertThat(manager.snapshot().idle())
        .containsExactly(new IdleController("owned", IdlePhase.STANDBY, seen, "other", false));
    assertThat(metrics.scrape(null).text())
        .contains("coxswain_controller_owner{controller=\"owned\"} 0.0")
        .doesNotContain("coxswain_controller_unowned_seconds{controller=\"owned\"} 0.0");
    manager.lead(true).await();
    assertThat(manager.snapshot().idle()).isEmpty();
    assertThat(metrics.scrape(null).text())
        .contains("coxswain_controller_owner{controller=\"owned\"} 1.0");
    manager.close().await();
    assertThat(manager.snapshot().idle())
        .extracting(IdleController::phase)
        .containsOnly(IdlePhase.STOPPED);
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
    ControllerManager manager =
        manager(
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
    manager.open().await();
    assertThat(manager.find("good")).isPresent();
    assertThat(manager.find("bad")).isEmpty();
    assertThat(manager.snapshot().failed())
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
    await(() -> manager.find("bad").isPresent());
    assertThat(manager.snapshot().failed()).isEmpty();
    manager.close().await();
    assertThat(manager.controllers()).isEmpty();
  }

  /** An Error in create() left the slot busy for ever: the host neither started nor stopped. */
  @Test
  void anErrorOrANullFromADefinition_isReported_andHoldsUpNeitherStartNorStop() throws Exception {
    ControllerManager manager =
        manager(
            List.of(
                definition("good", environment -> controller("good", Ownership.EVERYWHERE)),
                definition(
                    "error",
                    environment -> {
                      throw new AssertionError("on purpose");
                    }),
                definition("nothing", ControllerManagerTest::nothing)));
    manager.open().timeout(20, TimeUnit.SECONDS).await();
    assertThat(manager.find("good")).isPresent();
    assertThat(manager.snapshot().failed())
        .extracting(failed -> failed.name() + ": " + failed.error())
        .satisfiesExactly(
            error -> assertThat(error).isEqualTo("error: on purpose"),
            nothing ->
                assertThat(nothing)
                    .startsWith("nothing: the definition of controller \"nothing\" (")
                    .endsWith(") returned null instead of a controller"));
    manager.close().timeout(20, TimeUnit.SECONDS).await();
    assertThat(manager.controllers()).isEmpty();
  }

  @SuppressWarnings("NullAway") // what definitions compiled without our checks can do
  private static Controller<?> nothing(ControllerEnvironment environment) {
    return null;
  }

  @Test
  void aControllerWhoseSourceFails_isTriedAgainWithNewSources() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    ControllerManager manager =
        manager(
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
    manager.open().await();
    await(() -> calls.get() == 2 && manager.states().getFirst().phase() == ControllerPhase.RUNNING);
    assertThat(manager.find("flaky")).isPresent();
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
    manager.lead(true).await();
    assertThat(names(manager)).containsExactly("every", "owned");
    manager.lead(false).await();
    assertThat(names(manager)).containsExactly("every");
    manager.lead(true).await();
    assertThat(names(manager)).containsExactly("every", "owned");
    manager.close().await();
    assertThat(names(manager)).isEmpty();
  }

  @Test
  void theConfiguration_changesOptions_andReachesTheController() throws Exception {
    CountDownLatch seen = new CountDownLatch(1);
    ControllerManager manager =
        manager(
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
    manager.open().await();
    assertThat(seen.getCount()).isZero();
    assertThat(manager.find("demo").map(handle -> handle.options().concurrency())).hasValue(7);
    manager.close().await();
  }

  @Test
  void aControllerThatNamesAnUnknownLimiter_isReported() throws Exception {
    ControllerManager manager =
        manager(
            List.of(
                definition(
                    "demo",
                    environment ->
                        Controller.named("demo")
                            .options(options ->
                                options.withOwnership(Ownership.EVERYWHERE).withBudget("vendor"))
                            .watches(source(Future.succeededFuture()))
                            .reconciles((request, context) -> Result.done()))));
    manager.open().await();
    assertThat(manager.snapshot().failed())
        .singleElement()
        .satisfies(failed -> assertThat(failed.error()).contains("vendor", "[default]"));
    manager.close().await();
  }

  @Test
  void aStop_letsRunningAttemptsEnd_andCancelsThemAtTheLimit() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    ControllerManager manager =
        manager(
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
    manager.open().await();
    assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
    long before = System.nanoTime();
    manager.stopping();
    manager.close().await();
    assertThat(Duration.ofNanos(System.nanoTime() - before))
        .isGreaterThanOrEqualTo(Duration.ofMillis(90));
    assertThat(cancelled.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(manager.controllers()).isEmpty();
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

  /** Running, failed and idle ones were read one after another, and one could be in none of them. */
  @Test
  void everySnapshot_hasEachControllerOnce_whileTheyStartAndStop() throws Exception {
    ControllerManager manager =
        manager(
            List.of(
                definition("one", environment -> controller("one", Ownership.LEADER)),
                definition("two", environment -> controller("two", Ownership.LEADER))));
    AtomicBoolean done = new AtomicBoolean();
    AtomicReference<String> wrong = new AtomicReference<>("");
    Thread reader =
        Thread.ofPlatform()
            .start(() -> {
              while (!done.get()) {
                ControllerDirectory.Snapshot all = manager.snapshot();
                List<String> names = new ArrayList<>();
                all.running().forEach(one -> names.add(one.name()));
                all.failed().forEach(one -> names.add(one.name()));
                all.idle().forEach(one -> names.add(one.name()));
                names.sort(null);
                if (!names.equals(List.of("one", "two"))) {
                  wrong.set(names.toString());
                }
              }
            });
    manager.open().await();
    for (int i = 0; i < 50; i++) {
      manager.lead(true).await();
      manager.lead(false).await();
    }
    done.set(true);
    reader.join();
    assertThat(wrong.get()).isEmpty();
    manager.close().await();
  }

  /** The manager worked on an event loop of the controllers and stood still with it. */
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
    ControllerManager manager = manager(definitions, "drainLimit=100ms");
    try {
      finishes(manager.open());
      await(() -> blocked.get() == loops);
      finishes(manager.lead(true));
      finishes(manager.lead(false));
      manager.stopping();
      finishes(manager.close());
    } finally {
      release.countDown();
    }
    await(() ->
        manager.states().stream().allMatch(state -> state.phase() == ControllerPhase.STOPPED)
            && manager.controllers().isEmpty());
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

  private ControllerManager manager(List<ControllerDefinition> definitions, String... settings)
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

  private static List<String> names(ControllerManager manager) {
    return manager.controllers().stream().map(ControllerHandle::name).sorted().toList();
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + LIMIT_NANOS;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waited too long").isLessThan(deadline);
      LockSupport.parkNanos(1_000_000);
    }
  }
}
