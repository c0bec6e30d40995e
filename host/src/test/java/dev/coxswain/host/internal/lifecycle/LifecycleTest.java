// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

@Isolated
class LifecycleTest {

  private final Vertx vertx = Vertx.vertx();
  private final Lifecycle lifecycle = new Lifecycle(vertx, Duration.ofMillis(50));
  private final List<String> events = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    vertx.close().await();
  }

  @Test
  void groupsStartInOrder_andStopInReverse() {
    lifecycle.add(Group.OWNED, member("owned")).await();
    lifecycle.add(Group.HTTP, member("http")).await();
    lifecycle.add(Group.ALWAYS_ON, member("always")).await();
    lifecycle.add(Group.CACHES, member("caches")).await();
    lifecycle.start().await();
    lifecycle.stop().await();
    assertThat(events)
        .containsExactly(
            "+http", "+caches", "+always", "+owned", "-owned", "-always", "-caches", "-http");
  }

  @Test
  void aGroupStarts_onlyWhenTheOneBeforeHasStartedCompletely() {
    Promise<Void> slow = Promise.promise();
    lifecycle.add(Group.HTTP, member("slow", slow::future, Future::succeededFuture)).await();
    lifecycle.add(Group.CACHES, member("caches")).await();
    Future<Void> start = lifecycle.start();
    lifecycle.add(Group.OWNED, member("later")).await();
    assertThat(events).containsExactly("+slow");
    slow.complete();
    start.await();
    assertThat(events).containsExactly("+slow", "+caches", "+later");
  }

  @Test
  void nextGroups_doNotWaitForWhatStartsBeside_andTheSlotsDo() {
    Promise<Void> slow = Promise.promise();
    lifecycle.addBeside(Group.HTTP, member("slow", slow::future, Future::succeededFuture)).await();
    lifecycle.add(Group.CACHES, member("caches")).await();
    Future<Void> start = lifecycle.start();
    lifecycle.add(Group.OWNED, member("later")).await();
    assertThat(events).containsExactly("+slow", "+caches");
    assertThat(start.isComplete()).isFalse();
    slow.complete();
    start.await();
    lifecycle.stop().await();
    assertThat(events).containsExactly("+slow", "+caches", "+later", "-later", "-caches", "-slow");
  }

  @Test
  void aFailureBeside_endsTheStartAtOnce_alsoWhileAGroupHangs() {
    Promise<Void> beside = Promise.promise();
    lifecycle
        .addBeside(Group.HTTP, member("beside", beside::future, Future::succeededFuture))
        .await();
    lifecycle
        .add(
            Group.CACHES,
            member("hanging", () -> Promise.promise().future(), Future::succeededFuture))
        .await();
    Future<Void> start = lifecycle.start();
    beside.fail("port taken");
    assertThatThrownBy(start::await).hasMessageContaining("port taken");
    assertThat(events).contains("+beside", "+hanging", "-hanging");
  }

  @Test
  void aStart_showsWhatItWaitsFor_andReportsWhatHasStarted() {
    Promise<Void> slow = Promise.promise();
    List<String> started = new CopyOnWriteArrayList<>();
    lifecycle.onStarted(started::add);
    lifecycle.add(Group.HTTP, member("http")).await();
    lifecycle.add(Group.HTTP, member("slow", slow::future, Future::succeededFuture)).await();
    lifecycle.add(Group.CACHES, member("caches")).await();
    Future<Void> start = lifecycle.start();
    lifecycle.add(Group.OWNED, member("later")).await();
    assertThat(lifecycle.waiting()).containsExactly("slow");
    slow.complete();
    start.await();
    lifecycle.add(Group.OWNED, member("last")).await();
    assertThat(lifecycle.waiting()).isEmpty();
    assertThat(started).containsExactly("http", "slow", "caches", "later", "last");
  }

  @Test
  void aStartThatTakesLong_isLoggedWithWhatItWaitsFor() {
    CompletableFuture<String> logged = new CompletableFuture<>();
    AppenderBase<ILoggingEvent> appender =
        new AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            logged.complete(event.getMessage() + " " + event.getKeyValuePairs());
          }
        };
    appender.start();
    Logger logger = (Logger) LoggerFactory.getLogger(Lifecycle.class);
    logger.addAppender(appender);
    Lifecycle often = new Lifecycle(vertx, Duration.ofMillis(50), Duration.ofMillis(1));
    try {
      often
          .add(
              Group.HTTP, member("slow", () -> Promise.promise().future(), Future::succeededFuture))
          .await();
      often.start();
      assertThat(logged.orTimeout(30, TimeUnit.SECONDS).join())
          .contains("start takes long, waiting", "slow");
    } finally {
      logger.detachAppender(appender);
    }
    often.stop().await();
  }

  @Test
  void whatIsAddedLater_startsAtOnce() {
    lifecycle.start().await();
    lifecycle.add(Group.CACHES, member("late")).await();
    assertThat(events).containsExactly("+late");
  }

  @Test
  void nothingCanBeAdded_whileStopping() {
    lifecycle.start().await();
    Future<Void> stop = lifecycle.stop();
    assertThatThrownBy(() -> lifecycle.add(Group.HTTP, member("late")).await())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("late cannot be added: the host is stopping");
    stop.await();
    assertThat(events).isEmpty();
  }

  @Test
  void aMemberThatCannotStart_failsTheStart_andWhatRanIsStopped() {
    lifecycle.add(Group.HTTP, member("http")).await();
    lifecycle
        .add(
            Group.CACHES,
            member("broken", () -> Future.failedFuture("no cluster"), Future::succeededFuture))
        .await();
    lifecycle.add(Group.OWNED, member("owned")).await();
    assertThatThrownBy(() -> lifecycle.start().await()).hasMessage("no cluster");
    assertThat(events).containsExactly("+http", "+broken", "-broken", "-http");
  }

  @Test
  void aMemberThatHangsOrFailsOnStop_doesNotKeepTheOthersFromStopping() {
    lifecycle.add(Group.HTTP, member("http")).await();
    lifecycle
        .add(
            Group.OWNED, member("hangs", Future::succeededFuture, () -> Promise.promise().future()))
        .await();
    lifecycle
        .add(
            Group.ALWAYS_ON,
            member(
                "throws",
                Future::succeededFuture,
                () -> {
                  throw new IllegalStateException("on purpose");
                }))
        .await();
    lifecycle.start().await();
    lifecycle.stop().await();
    assertThat(events).endsWith("-hangs", "-throws", "-http");
  }

  /** An Error, as a jar that was replaced under a running host throws it, and a broken promise. */
  @Test
  void anErrorOrNullOnStop_doesNotKeepTheLowerGroupsFromStopping_andIsLogged() throws Exception {
    lifecycle.add(Group.HTTP, member("http")).await();
    lifecycle.add(Group.CACHES, member("null", Future::succeededFuture, () -> null)).await();
    lifecycle
        .add(
            Group.OWNED,
            member(
                "error",
                Future::succeededFuture,
                () -> {
                  throw new NoClassDefFoundError("on purpose");
                }))
        .await();
    lifecycle.start().await();
    lifecycle.stop().await(10, TimeUnit.SECONDS);
    assertThat(events).endsWith("-error", "-null", "-http");
  }

  @Test
  void anErrorOnStart_failsTheStart_andWhatRanIsStopped() {
    lifecycle.add(Group.HTTP, member("http")).await();
    lifecycle
        .add(
            Group.CACHES,
            member(
                "error",
                () -> {
                  throw new NoClassDefFoundError("on purpose");
                },
                Future::succeededFuture))
        .await();
    assertThatThrownBy(() -> lifecycle.start().await(10, TimeUnit.SECONDS))
        .isInstanceOf(NoClassDefFoundError.class);
    assertThat(events).containsExactly("+http", "+error", "-error", "-http");
  }

  @Test
  void aListenerThatThrows_failsTheStart_ratherThanHangIt() {
    lifecycle.add(Group.HTTP, member("http")).await();
    lifecycle.onStarted(_ -> {
      throw new NoClassDefFoundError("on purpose");
    });
    assertThatThrownBy(() -> lifecycle.start().await(10, TimeUnit.SECONDS))
        .isInstanceOf(NoClassDefFoundError.class);
    assertThat(events).containsExactly("+http", "-http");
  }

  @Test
  void aMemberThatStillStarts_isStoppedWhenItsStartHasEnded() {
    Lifecycle patient = new Lifecycle(vertx, Duration.ofMinutes(10));
    Promise<Void> listening = Promise.promise();
    patient.add(Group.HTTP, member("slow", listening::future, Future::succeededFuture)).await();
    patient
        .add(
            Group.HTTP,
            member("broken", () -> Future.failedFuture("port in use"), Future::succeededFuture))
        .await();
    Future<Void> start = patient.start();
    patient.add(Group.OWNED, member("never")).recover(_ -> Future.succeededFuture()).await();
    Future<Void> stop = patient.stop();
    patient.add(Group.OWNED, member("never")).recover(_ -> Future.succeededFuture()).await();
    assertThat(events).contains("-broken").doesNotContain("-slow");
    listening.complete();
    stop.await();
    assertThatThrownBy(start::await).hasMessage("port in use");
    assertThat(events).containsExactly("+slow", "+broken", "-broken", "-slow");
  }

  @Test
  void aStartThatNeverEnds_keepsNeitherItsOwnStopNorTheStopOfOthers() {
    lifecycle.add(Group.HTTP, member("http")).await();
    lifecycle
        .add(
            Group.CACHES,
            member("stuck", () -> Promise.promise().future(), Future::succeededFuture))
        .await();
    Future<Void> start = lifecycle.start();
    lifecycle.add(Group.OWNED, member("never")).await();
    lifecycle.stop().await();
    assertThat(start.isComplete()).isFalse();
    assertThat(events).containsExactly("+http", "+stuck", "-stuck", "-http");
  }

  @Test
  void stoppingTwice_isStoppingOnce_andStartingTwiceIsAMistake() {
    lifecycle.add(Group.HTTP, member("http")).await();
    lifecycle.start().await();
    assertThatThrownBy(() -> lifecycle.start().await()).hasMessageContaining("more than once");
    lifecycle.stop().await();
    lifecycle.stop().await();
    assertThat(events).containsExactly("+http", "-http");
  }

  private Component member(String name) {
    return member(name, Future::succeededFuture, Future::succeededFuture);
  }

  private Component member(String name, Supplier<Future<?>> onStart, Supplier<Future<?>> onStop) {
    return new Component() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public Future<?> start() {
        events.add("+" + name);
        return onStart.get();
      }

      @Override
      public Future<?> stop() {
        events.add("-" + name);
        return onStop.get();
      }
    };
  }
}
