// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.probes;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.coxswain.controller.Conditions;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ConditionType;
import dev.coxswain.view.LoopOccupant;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.ContextInternal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

@Isolated
class EventLoopWatchdogTest {

  private static final Duration PERIOD = WatchdogThread.PERIOD;

  private final CountDownLatch release = new CountDownLatch(1);
  private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
  private final Logger logger = (Logger) LoggerFactory.getLogger(EventLoopWatchdog.class);
  private final ListAppender<ILoggingEvent> reports = new ListAppender<>();
  private final VirtualTime clock = new VirtualTime(0);

  @BeforeEach
  void listen() {
    reports.start();
    logger.addAppender(reports);
  }

  @AfterEach
  void close() {
    release.countDown();
    logger.detachAppender(reports);
    vertx.close().await();
  }

  private void look(EventLoopWatchdog watchdog, Duration after) {
    clock.advance(after);
    watchdog.look();
  }

  @Test
  void aProcessThatStoodStill_reportsNoLoop_untilOneStaysBlockedAfterwards() throws Exception {
    EventLoopHeartbeat pulse = new EventLoopHeartbeat("event-loops", vertx, 1, clock);
    pulse.start().await();
    CountDownLatch blocked = new CountDownLatch(1);
    vertx.runOnContext(_ -> {
      blocked.countDown();
      awaitRelease();
    });
    assertThat(blocked.await(1, TimeUnit.MINUTES)).isTrue();
    EventLoopWatchdog watchdog = watchdog(pulse);
    look(watchdog, PERIOD);
    look(watchdog, Duration.ofSeconds(16)); // stopped, or without a processor
    for (int missed = 0; missed < 32; missed++) {
      look(watchdog, Duration.ZERO); // a timer catches up with its periods
    }
    assertThat(reports.list).isEmpty();
    look(watchdog, PERIOD);
    assertThat(reports.list).isEmpty();
    look(watchdog, PERIOD);
    assertThat(reports.list)
        .extracting(ILoggingEvent::getMessage)
        .containsExactly("event loop blocked");
  }

  /**
   * A controller that was deployed again at the moment at which its loop was free again kept the
   * condition, with which the admin API refuses all requests that only the controller can answer.
   */
  @Test
  void aControllerThatIsNotDeployed_whenItsLoopIsFreeAgain_hasNoConditionAfterwards()
      throws Exception {
    EventLoopHeartbeat pulse = new EventLoopHeartbeat("event-loops", vertx, 1, clock);
    pulse.start().await();
    LoopOccupant occupant = new LoopOccupant();
    CountDownLatch blocked = new CountDownLatch(1);
    vertx.runOnContext(_ ->
        occupant.run(() -> {
          blocked.countDown();
          awaitRelease();
        }));
    assertThat(blocked.await(1, TimeUnit.MINUTES)).isTrue();
    Conditions conditions = new Conditions("pods", clock);
    List<EventLoopWatchdog.Watched> deployed = new ArrayList<>();
    deployed.add(new EventLoopWatchdog.Watched("pods", occupant, conditions));
    EventLoopHeartbeat other = new EventLoopHeartbeat("other", vertx, 1, clock);
    EventLoopWatchdog watchdog = new EventLoopWatchdog(pulse, other, clock, () -> deployed);
    for (int i = 0; i < 4; i++) {
      look(watchdog, PERIOD);
    }
    assertThat(conditions.has(ConditionType.EVENT_LOOP_BLOCKED)).isTrue();

    deployed.clear();
    look(watchdog, PERIOD);
    assertThat(conditions.has(ConditionType.EVENT_LOOP_BLOCKED)).as("still blocked").isTrue();
    release.countDown();
    awaitLoop();
    look(watchdog, PERIOD);
    deployed.add(new EventLoopWatchdog.Watched("pods", new LoopOccupant(), conditions));
    look(watchdog, PERIOD);
    assertThat(conditions.has(ConditionType.EVENT_LOOP_BLOCKED)).isFalse();
  }

  /** Only the loops of controllers were checked: a host whose own loop stood still was alive. */
  @Test
  void eachGroupOfEventLoops_isCheckedUnderItsName() throws Exception {
    EventLoopHeartbeat pulse = new EventLoopHeartbeat("host-event-loops", vertx, 1, clock);
    pulse.start().await();
    assertThat(pulse.checks()).containsExactly(Check.of("host-event-loops", null));
    vertx.runOnContext(_ -> awaitRelease());
    look(watchdog(pulse), PERIOD);
    clock.advance(Duration.ofSeconds(11));
    assertThat(pulse.checks())
        .containsExactly(Check.of("host-event-loops", "event loop 0 has been stuck for 11 s"));
  }

  @Test
  void eventLoopsThatHaveEnded_areStuck_andDoNotKeepOthersFromBeingRequested() throws Exception {
    Vertx controllers = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    EventLoopHeartbeat ended = new EventLoopHeartbeat("event-loops", controllers, 1, clock);
    EventLoopHeartbeat pulse = new EventLoopHeartbeat("host-event-loops", vertx, 1, clock);
    ended.start().await();
    pulse.start().await();
    controllers.close().await(); // by a controller, for instance
    vertx.runOnContext(_ -> awaitRelease());
    EventLoopWatchdog watchdog = new EventLoopWatchdog(ended, pulse, clock, List::of);
    look(watchdog, PERIOD);
    clock.advance(Duration.ofSeconds(11));
    assertThat(ended.checks())
        .containsExactly(Check.of("event-loops", "event loop 0 has been stuck for 11 s"));
    assertThat(pulse.checks())
        .containsExactly(Check.of("host-event-loops", "event loop 0 has been stuck for 11 s"));
  }

  @Test
  void aLoopThatHasAnswered_isNotStuck_howeverLongAgoThatWas() throws Exception {
    EventLoopHeartbeat pulse = new EventLoopHeartbeat("event-loops", vertx, 1, clock);
    pulse.start().await();
    assertThat(pulse.request(true)).isEqualTo(1);
    awaitLoop();
    clock.advance(Duration.ofHours(1));
    assertThat(pulse.checks()).containsExactly(Check.of("event-loops", null));
    assertThat(pulse.silentFor(EventLoopWatchdog.LIMIT)).isEmpty();
  }

  @Test
  void anIdleLoop_isNotWoken_andOneThatRunsSomething_isRequestedOnce() throws Exception {
    EventLoopHeartbeat pulse = new EventLoopHeartbeat("event-loops", vertx, 1, clock);
    pulse.start().await();
    awaitLoop();
    assertThat(pulse.request(false)).isZero();
    CountDownLatch blocked = new CountDownLatch(1);
    vertx.runOnContext(_ -> {
      blocked.countDown();
      awaitRelease();
    });
    assertThat(blocked.await(1, TimeUnit.MINUTES)).isTrue();
    assertThat(pulse.request(false)).isEqualTo(1);
    assertThat(pulse.request(false)).as("before it has answered").isZero();
    clock.advance(EventLoopWatchdog.LIMIT);
    assertThat(pulse.silentFor(EventLoopWatchdog.LIMIT)).hasSize(1);
  }

  /** Waits until the loop has run what it has been given, and runs nothing. */
  private void awaitLoop() throws Exception {
    Context context = vertx.getOrCreateContext();
    CountDownLatch done = new CountDownLatch(1);
    ((ContextInternal) context).nettyEventLoop().execute(done::countDown); // no task of Vert.x
    assertThat(done.await(1, TimeUnit.MINUTES)).isTrue();
  }

  private EventLoopWatchdog watchdog(EventLoopHeartbeat pulse) {
    EventLoopHeartbeat other = new EventLoopHeartbeat("other", vertx, 1, clock);
    return new EventLoopWatchdog(pulse, other, clock, List::of);
  }

  private void awaitRelease() {
    try {
      release.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
