// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.LimiterStatus;
import dev.coxswain.limiter.internal.MemberOptions;
import dev.coxswain.limiter.internal.OverrideFailedException;
import dev.coxswain.limiter.internal.ReplicaView;
import dev.coxswain.limiter.internal.ReplicaView.Lease;
import dev.coxswain.limiter.internal.hazelcast.MemberConfig;
import dev.coxswain.retry.RetryBudget;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** One real member, alone on the loopback interface. */
class LimiterMemberTest {
  private final Vertx vertx = Vertx.vertx();
  private final List<String> joined = new CopyOnWriteArrayList<>();
  private final LimiterMember member =
      LimiterMember.create(
          vertx,
          MemberOptions.of("one")
              .withPort(0)
              .withMaxReplicas(1)
              .withFloorShare(0.2)
              .withViewAge(Duration.ofMillis(10)),
          ReplicaView.fixed(new Lease(0, System.nanoTime()), 1),
          joined::add);

  @AfterEach
  void stop() {
    wait(member.stop());
    wait(vertx.close());
  }

  private static void wait(Future<Void> future) {
    try {
      future.toCompletionStage().toCompletableFuture().get(100, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new CompletionException(e.getCause());
    }
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long limit = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - limit).isNegative();
      TimeUnit.MILLISECONDS.sleep(20); // between two looks at threads of Hazelcast
    }
  }

  private LimiterStatus.Limiter status() {
    return member.status().limiters().getFirst();
  }

  @Test
  void beforeTheStart_onlyTheFloorWorks_andItSaysSo() {
    RetryBudget.Waiter waiter = member.budget(new LimiterSpec("x", 0.1, 20)).openWaiter("a");
    assertThat(waiter.tryAcquire(1)).isPositive();
    assertThat(member.status().state()).isEqualTo(LimiterStatus.State.NEW);
    assertThat(member.status().members()).isZero();
  }

  /** For up to a second, until its supervisor replaces it; a scrape may come in that time. */
  @Test
  void memberThatHazelcastHasStopped_hasAStatusAllTheSame() {
    member.budget(new LimiterSpec("x", 200, 100));
    wait(member.start());
    Hazelcast.getAllHazelcastInstances().stream()
        .filter(made -> LostConnectionTest.isAt(made, joined.getFirst()))
        .findFirst()
        .orElseThrow()
        .getLifecycleService()
        .terminate();
    assertThat(member.status().limiters()).hasSize(1);
  }

  /** Others would not count it among the members, and it has joined all the same. */
  @Test
  void memberWhoseAddressCannotBeTold_runs_tellsItAgain_andReportsThatOnce() throws Exception {
    List<String> told = new CopyOnWriteArrayList<>();
    List<ILoggingEvent> logged = new CopyOnWriteArrayList<>();
    AppenderBase<ILoggingEvent> appender =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            logged.add(event);
          }
        };
    Logger logger = (Logger) LoggerFactory.getLogger(MemberSupervisor.class);
    appender.start();
    logger.addAppender(appender);
    LimiterMember other =
        LimiterMember.create(
            vertx,
            MemberOptions.of("two").withPort(0),
            ReplicaView.fixed(new Lease(0, System.nanoTime()), 1),
            address -> {
              told.add(address);
              if (told.size() <= 2) {
                throw new IllegalStateException("not now");
              }
            });
    try {
      wait(other.start());
      assertThat(other.status().state()).isEqualTo(LimiterStatus.State.RUNNING);
      await(() -> told.size() == 3);
      assertThat(told).containsOnly(told.getFirst());
      assertThat(other.status().state()).isEqualTo(LimiterStatus.State.RUNNING);
      assertThat(logged).filteredOn(event -> event.getLevel() == Level.ERROR).hasSize(1);
    } finally {
      logger.detachAppender(appender);
      wait(other.stop());
    }
  }

  @Test
  void limiter_isHandedOutAndOverridden_withinItsCeilings() throws Exception {
    RetryBudget budget = member.budget(new LimiterSpec("x", 200, 100, 400, 200));
    wait(member.start());
    RetryBudget.Waiter waiter = budget.openWaiter("a");
    await(() -> {
      waiter.tryAcquire(100);
      return status().grantedByPool() > 20;
    });
    await(() -> {
      waiter.tryAcquire(100);
      return status().worst().starts() > 20;
    });
    assertThat(status().worst().certain()).isLessThanOrEqualTo(0);
    await(() -> budget.snapshot().degraded() == null);
    assertThat(budget.snapshot().kind()).isEqualTo("hazelcast");
    assertThat(budget.snapshot().replicas()).singleElement().matches(r -> r.name().equals("one"));

    Instant asked = Instant.now();
    wait(member.override("x", 400, 200, Duration.ofHours(1)));
    assertThat(status().rate()).isEqualTo(400);
    assertThat(status().overrideLeft()).isBetween(Duration.ofMinutes(59), Duration.ofHours(1));
    Instant until = Objects.requireNonNull(budget.snapshot().overrideUntil(), "until");
    assertThat(until).isBetween(asked.plus(Duration.ofHours(1)), Instant.now().plusSeconds(3600));
    assertThatThrownBy(() -> wait(member.override("x", 401, 200, Duration.ofHours(1))))
        .hasMessageContaining("limiters.x.rate: 401.0 is beyond the ceiling, limiters.x.maxRate");
    assertThatThrownBy(() -> wait(member.override("x", 400, 201, Duration.ofHours(1))))
        .hasMessageContaining("limiters.x.burst");
    assertThatThrownBy(() -> wait(member.override("y", 1, 20, Duration.ofHours(1))))
        .hasMessageContaining("limiters.y: there is no such limiter; limiters are [x]");
    assertThatThrownBy(() -> wait(member.override("x", 1, 20, Duration.ZERO)))
        .hasMessageContaining("limiters.x.duration");
    assertThatThrownBy(() -> wait(member.override("x", 0, 20, Duration.ofHours(1))))
        .hasMessageContaining("limiters.x.rate: expected");
    assertThatThrownBy(() -> wait(member.override("x", 1, -1, Duration.ofHours(1))))
        .hasMessageContaining("limiters.x.burst: expected");
    assertThatThrownBy(() -> wait(member.override("x", 400, 2, Duration.ofHours(1))))
        .hasMessageContaining("limiters.x.burst: 2 is too small");
    assertThat(status().rate()).isEqualTo(400);
    assertThat(status().burst()).isEqualTo(200);
    wait(member.clearOverride("x"));
    assertThat(status().rate()).isEqualTo(200);
    assertThat(status().overrideLeft()).isNull();
    assertThat(budget.snapshot().overrideUntil()).isNull();
  }

  @Test
  void withoutAMajority_nothingIsOverridden_andThatIsCertain() {
    LimiterMember alone =
        LimiterMember.create(
            vertx,
            MemberOptions.of("alone").withPort(0).withMaxReplicas(3).withFloorShare(0.2),
            ReplicaView.fixed(new Lease(0, System.nanoTime()), 3),
            joined::add);
    RetryBudget budget = alone.budget(new LimiterSpec("x", 200, 100, 400, 200));
    try {
      assertUnchanged(alone); // it does not run yet
      wait(alone.start());
      assertUnchanged(alone);
      assertThat(budget.snapshot().rate()).isEqualTo(200);
      assertThat(budget.snapshot().overrideUntil()).isNull();
    } finally {
      wait(alone.stop());
    }
    assertUnchanged(alone);
  }

  /** Changes of a limiter wait for those before them. */
  @Test
  void anOverride_ends_whateverFailsInIt() {
    ReplicaView fixed = ReplicaView.fixed(new Lease(0, System.nanoTime()), 1);
    ReplicaView failing =
        (ReplicaView)
            Proxy.newProxyInstance(
                ReplicaView.class.getClassLoader(),
                new Class<?>[] {ReplicaView.class},
                (_, method, arguments) -> {
                  if (method.getName().equals("liveReplicas")) {
                    throw new IllegalStateException("not known");
                  }
                  return method.invoke(fixed, arguments);
                });
    LimiterMember alone =
        LimiterMember.create(vertx, MemberOptions.of("alone").withPort(0), failing, joined::add);
    alone.budget(new LimiterSpec("x", 200, 100, 400, 200));
    try {
      Future<Void> change = alone.override("x", 400, 200, Duration.ofHours(1));
      assertThatThrownBy(() -> wait(change.timeout(10, TimeUnit.SECONDS)))
          .hasCauseInstanceOf(OverrideFailedException.class)
          .hasMessageContaining("may or may not have been changed: ");
    } finally {
      wait(alone.stop());
    }
  }

  private static void assertUnchanged(LimiterMember alone) {
    assertThatThrownBy(() -> wait(alone.override("x", 400, 200, Duration.ofHours(1))))
        .hasCauseInstanceOf(OverrideFailedException.class)
        .hasMessageContaining("was not changed: ")
        .matches(
            e -> ((OverrideFailedException) Objects.requireNonNull(e.getCause())).nothingChanged());
    assertThatThrownBy(() -> wait(alone.clearOverride("x")))
        .hasCauseInstanceOf(OverrideFailedException.class);
  }

  @Test
  void aMemberThatCannotStart_isTriedAgainUntilItCan() throws Exception {
    LimiterMember late;
    try (ServerSocket taken = new ServerSocket()) {
      taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      late =
          LimiterMember.create(
              vertx,
              MemberOptions.of("late")
                  .withPort(taken.getLocalPort())
                  .withMaxReplicas(1)
                  .withFloorShare(0.2)
                  .withViewAge(Duration.ofMillis(10)),
              ReplicaView.fixed(new Lease(0, System.nanoTime()), 1),
              joined::add);
      assertThatThrownBy(() -> wait(late.start())).isNotNull();
      assertThat(late.status().state()).isEqualTo(LimiterStatus.State.FAILED);
      assertThat(joined).isEmpty();
    }
    RetryBudget.Waiter waiter = late.budget(new LimiterSpec("x", 200, 100)).openWaiter("a");
    try {
      await(() -> late.status().state() == LimiterStatus.State.RUNNING);
      await(() -> {
        waiter.tryAcquire(100);
        return late.status().limiters().getFirst().grantedByPool() > 0;
      });
      assertThat(joined).containsExactly(late.status().address());
    } finally {
      wait(late.stop());
    }
  }

  @Test
  void specificationsThatContradict_areRefusedNamingTheLimiter() {
    LimiterSpec spec = new LimiterSpec("x", 10, 20);
    assertThat(member.budget(spec)).isSameAs(member.budget(spec));
    assertThatThrownBy(() -> member.budget(new LimiterSpec("x", 11, 20)))
        .hasMessageStartingWith("limiters.x: ");
    assertThatThrownBy(() -> member.budget(new LimiterSpec("y", 10, 1)))
        .hasMessageStartingWith("limiters.y.burst: ");
  }

  @Test
  void member_listensForMembersOnly_andRunsNoForeignClasses() {
    Config config = MemberConfig.of(MemberOptions.of("one"), ReplicaView.fixed(new Lease(0, 0), 1));
    assertThat(config.getAdvancedNetworkConfig().isEnabled()).isTrue();
    assertThat(config.getAdvancedNetworkConfig().getEndpointConfigs()).hasSize(1);
    assertThat(config.getAdvancedNetworkConfig().getJoin().getMulticastConfig().isEnabled())
        .isFalse();
    assertThat(config.getAdvancedNetworkConfig().getJoin().getAutoDetectionConfig().isEnabled())
        .isFalse();
    assertThat(config.getJetConfig().isEnabled()).isFalse();
    assertThat(config.getProperty("hazelcast.phone.home.enabled")).isEqualTo("false");
    assertThat(config.getProperty("hazelcast.operation.fail.on.indeterminate.state"))
        .isEqualTo("true");
    assertThat(config.getClusterName()).isEqualTo("coxswain-hz5.7-l4");
    var filter =
        Objects.requireNonNull(config.getSerializationConfig().getJavaSerializationFilterConfig());
    assertThat(filter.isDefaultsDisabled()).isTrue();
    assertThat(filter.getWhitelist().isListed("java.util.HashMap")).isFalse();
    assertThat(
            filter.getWhitelist().isListed("dev.coxswain.limiter.internal.member.LimiterProcess"))
        .isFalse();
  }
}
