// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.probes;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.coxswain.controller.Conditions;
import dev.coxswain.host.internal.probes.EventLoopWatchdog.Watched;
import dev.coxswain.internal.thread.UserThreads;
import dev.coxswain.testing.Await;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ConditionType;
import dev.coxswain.view.LoopOccupant;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/** User code that holds all carriers of this process, as long as a test runs. */
@Isolated
class CarrierWatchdogTest {

  private static final int CARRIERS =
      Integer.getInteger(
          "jdk.virtualThreadScheduler.parallelism", Runtime.getRuntime().availableProcessors());

  private final VirtualTime clock = new VirtualTime(0);
  private final Conditions guilty = new Conditions("guilty", clock);
  private final Conditions other = new Conditions("other", clock);
  private final CarrierWatchdog watchdog =
      new CarrierWatchdog(
          clock,
          Duration.ofMinutes(1),
          () ->
              List.of(
                  new Watched("guilty", new LoopOccupant(), guilty),
                  new Watched("other", new LoopOccupant(), other)));
  private final Logger logger = (Logger) LoggerFactory.getLogger(CarrierWatchdog.class);
  private final ListAppender<ILoggingEvent> reports = new ListAppender<>();
  private final AtomicInteger spinning = new AtomicInteger();
  private volatile boolean released;

  @BeforeEach
  void listen() {
    reports.start();
    logger.addAppender(reports);
  }

  @AfterEach
  void release() {
    released = true;
    Await.until("the end of the threads", () -> spinning.get() == 0);
    logger.detachAppender(reports);
    watchdog.stop().await();
  }

  private void hold(int carriers, String controller) {
    ThreadFactory threads = UserThreads.of(controller);
    for (int i = 0; i < carriers; i++) {
      threads.newThread(this::spin).start();
    }
    Await.until("threads that spin", () -> spinning.get() == carriers);
  }

  private void spin() {
    spinning.incrementAndGet();
    while (!released) {
      Thread.onSpinWait();
    }
    spinning.decrementAndGet();
  }

  private void look(int times) {
    for (int i = 0; i < times; i++) {
      clock.advance(WatchdogThread.PERIOD);
      watchdog.look();
    }
  }

  private List<String> messages() {
    return reports.list.stream().map(ILoggingEvent::getMessage).toList();
  }

  private Check alive() {
    return watchdog.alive().getFirst();
  }

  @Test
  void codeThatHoldsAllCarriers_isNamedOnce_failsTheProbesAtTheirLimits_andItsEndIsReported() {
    watchdog.start().await(); // real looks of it change nothing: the time stands still
    hold(CARRIERS, "guilty");
    look(4);

    assertThat(messages()).containsExactly("virtual threads wait for a carrier");
    assertThat(reports.list.getFirst().getKeyValuePairs().toString())
        .contains("[guilty]", "CarrierWatchdogTest.spin(CarrierWatchdogTest.java:");
    assertThat(reports.list.getFirst().getThrowableProxy().getStackTraceElementProxyArray())
        .anySatisfy(frame -> assertThat(frame.toString()).contains("CarrierWatchdogTest.spin"));
    assertThat(guilty.all().getFirst().message()).contains("controller \"guilty\"", "spin");
    assertThat(other.all().getFirst().message())
        .as("its attempts wait, too")
        .contains("controller \"guilty\"", "threads: platform");
    assertThat(alive().problem()).contains("waited for a carrier for", "controller \"guilty\"");
    assertThat(alive().counts()).as("before the limit").isFalse();
    assertThat(watchdog.ready().getFirst().counts()).isFalse();
    look(10);
    assertThat(watchdog.ready().getFirst().fails()).isTrue();
    assertThat(alive().counts()).isFalse();
    look(60);
    assertThat(alive().fails()).as(alive().problem()).isTrue();
    assertThat(watchdog.carrierWait()).isGreaterThan(Duration.ofMinutes(1));
    assertThat(messages()).as("once for each episode").hasSize(1);

    released = true;
    Await.until("a carrier", () -> alive().problem() == null);
    look(1);
    Await.until(
        "the end of the report",
        () -> {
          look(1);
          return messages().contains("virtual threads have carriers again");
        });
    assertThat(guilty.has(ConditionType.CARRIERS_BLOCKED)).isFalse();
    assertThat(other.has(ConditionType.CARRIERS_BLOCKED)).isFalse();
  }

  @Test
  void aProcessThatStoodStill_isNotReported() {
    look(1);
    hold(CARRIERS, "guilty");
    look(1);
    clock.advance(Duration.ofSeconds(30)); // no processor
    watchdog.look();
    assertThat(messages()).isEmpty();
    look(3);
    assertThat(messages()).containsExactly("virtual threads wait for a carrier");
  }

  @Test
  void threadsThatWaitForACarrier_orForSomethingElse_areNotNamed() {
    hold(CARRIERS, "guilty");
    UserThreads.of("victim").newThread(() -> {}).start();
    assertThat(UserThreads.holders())
        .hasSize(CARRIERS)
        .allSatisfy(holder -> assertThat(holder.work().controller()).isEqualTo("guilty"));
  }
}
