// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.reconcile.Result;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A controller that cannot be started is reported and retried, and disturbs no other one. */
class ControllerStartTest extends ControllerManagerFixture {

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
                definition("nothing", ControllerStartTest::nothing)));
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
  void aStartThatFailsInTheSameWay_hasItsStackTraceOnce_andItsErrorInEachLine() throws Exception {
    Logger logger = (Logger) LoggerFactory.getLogger(StartRetry.class);
    ListAppender<ILoggingEvent> lines = new ListAppender<>();
    lines.start();
    logger.addAppender(lines);
    AtomicInteger calls = new AtomicInteger();
    ControllerManager manager =
        manager(
            List.of(
                definition(
                    "misconfigured",
                    environment -> {
                      calls.incrementAndGet();
                      throw new IllegalArgumentException("config.interval: expected a duration");
                    })));
    try {
      manager.open().await();
      await(() -> calls.get() == 3);
    } finally {
      manager.close().await();
      logger.detachAppender(lines);
    }
    List<ILoggingEvent> ours =
        List.copyOf(lines.list).stream()
            .filter(line -> String.valueOf(line.getKeyValuePairs()).contains("misconfigured"))
            .toList();
    assertThat(ours).hasSizeGreaterThanOrEqualTo(2);
    assertThat(ours).filteredOn(line -> line.getThrowableProxy() != null).hasSize(1);
    assertThat(ours)
        .allMatch(line -> line.getKeyValuePairs().toString().contains("expected a duration"));
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
  void controllersWithTheSameName_andSettingsForUnknownOnes_areRefused() throws Exception {
    ControllerDefinition one = definition("one", _ -> controller("one", Ownership.LEADER));
    CoxswainConfiguration plain = configuration();
    assertThatThrownBy(() -> Definitions.enabled(List.of(one, one), plain))
        .isInstanceOf(HostException.class)
        .hasMessageContaining("two controllers have the name \"one\"");
    CoxswainConfiguration unknown = configuration("controllers.onne.concurrency=2");
    assertThatThrownBy(() -> Definitions.enabled(List.of(one), unknown))
        .hasMessageContaining("controllers.onne: unknown controller")
        .hasMessageContaining("did you mean \"one\"?");
    assertThat(Definitions.enabled(List.of(one), configuration("controllers.one.enabled=false")))
        .isEmpty();
  }

  @SuppressWarnings("NullAway") // what definitions compiled without our checks can do
  private static Controller<?> nothing(ControllerEnvironment environment) {
    return null;
  }
}
