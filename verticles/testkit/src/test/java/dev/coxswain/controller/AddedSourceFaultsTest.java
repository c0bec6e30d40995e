// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.reconcile.Request;
import dev.coxswain.source.EventSource;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sources and callbacks of users that fail, while a controller runs. */
class AddedSourceFaultsTest extends AddedSourcesFixture {

  enum BadStart {
    SUPPLIER_THROWS,
    SUPPLIER_RETURNS_NULL,
    START_THROWS,
    START_RETURNS_NULL,
    FAILS_AT_ONCE,
    FAILS_LATER
  }

  @ParameterizedTest
  @EnumSource
  void sourceThatDoesNotStart_isReported_andLeavesNothingBehind(BadStart how) {
    StagedSource source = new StagedSource("templates");
    Future<EventSource<Request>> added = add("t", () -> bad(how, source));
    if (how == BadStart.FAILS_LATER) {
      assertThat(added.isComplete()).isFalse();
      source.synced.fail("on purpose");
      time.settle();
    }
    assertThat(added.cause())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("source \"t\" was not added to controller \"view\": ")
        .hasMessageContaining(how.name().endsWith("NULL") ? "returned null" : "on purpose");
    assertThat(registry.names()).isEmpty();
    assertThat(shown()).hasSize(1);
    assertThat(source.starts).as("each start has its stop").isEqualTo(source.stops);

    StagedSource next = StagedSource.synced("templates");
    assertThat(add("t", () -> next).result()).isSameAs(next);
    kit().add(REQUEST);
    assertThat(reconciled).containsExactly(REQUEST);
  }

  @SuppressWarnings("NullAway") // sources of authors without null checks
  private static EventSource<Request> bad(BadStart how, StagedSource source) {
    return switch (how) {
      case SUPPLIER_THROWS -> throw new IllegalArgumentException("on purpose");
      case SUPPLIER_RETURNS_NULL -> null;
      case FAILS_LATER -> source;
      case FAILS_AT_ONCE -> {
        source.synced.fail("on purpose");
        yield source;
      }
      case START_THROWS, START_RETURNS_NULL ->
          new ForwardingSource(source) {
            @Override
            public Future<Void> start(dev.coxswain.source.EventSink<Request> sink) {
              source.starts++;
              if (how == BadStart.START_THROWS) {
                throw new IllegalArgumentException("on purpose");
              }
              return null;
            }
          };
    };
  }

  /** A source of which a test replaces the start. */
  private abstract static class ForwardingSource implements EventSource<Request> {
    private final EventSource<Request> source;

    ForwardingSource(EventSource<Request> source) {
      this.source = source;
    }

    @Override
    public String describe() {
      return source.describe();
    }

    @Override
    public Future<Void> stop() {
      return source.stop();
    }
  }

  /** Callbacks are user code: one that throws changes nothing else. */
  @ParameterizedTest
  @EnumSource
  void callbackThatThrows_leavesNoSourceBehind(End how) {
    StagedSource source = new StagedSource("templates");
    add("t", () -> source)
        .onComplete(_ -> {
          throw new IllegalArgumentException("on purpose");
        });
    Future<Boolean> removed = Future.succeededFuture(true);
    switch (how) {
      case REMOVED -> removed = registry.remove("t");
      case FAILED -> source.synced.fail("on purpose");
      case SYNCED -> source.synced.complete();
      case STOPPED -> {}
    }
    time.settle();
    assertThat(removed.result()).isTrue();
    assertThat(source.isRunning()).isEqualTo(how == End.SYNCED || how == End.STOPPED);
    assertThat(registry.names()).hasSize(source.isRunning() ? 1 : 0);
    assertThat(shown()).hasSize(source.isRunning() ? 2 : 1);

    kit().stop(Duration.ZERO);
    assertThat(source.stops).isEqualTo(1);
    assertThat(first.stops).isEqualTo(1);
    assertThat(registry.names()).isEmpty();
  }

  enum End {
    SYNCED,
    FAILED,
    REMOVED,
    STOPPED
  }

  @Test
  void callbackOfARemoval_thatThrows_leavesTheStopComplete() {
    StagedSource source = StagedSource.synced("templates");
    Promise<Void> end = Promise.promise();
    source.end = end.future();
    add("t", () -> source);
    registry
        .remove("t")
        .onComplete(_ -> {
          throw new IllegalArgumentException("on purpose");
        });
    time.settle();
    time.after(Duration.ofSeconds(3)).onSuccess(_ -> end.complete());
    long begun = time.nanos();
    kit().stop(Duration.ZERO);
    assertThat(time.nanos() - begun).isEqualTo(Duration.ofSeconds(3).toNanos());
  }

  @Test
  void sourceThatTheControllerHasAlready_isRefused_andGoesOn() {
    StagedSource source = StagedSource.synced("templates");
    assertThat(add("t", () -> source).result()).isSameAs(source);
    Future<StagedSource> again = add("again", () -> source);
    Future<StagedSource> ofTheStart = add("first", () -> first);
    assertThat(again.cause())
        .hasMessage(
            "source \"again\" was not added to controller \"view\": the supplier returned a source"
                + " that the controller has already");
    assertThat(ofTheStart.cause()).hasMessageContaining("has already");
    assertThat(source.isRunning()).isTrue();
    assertThat(first.isRunning()).isTrue();
    assertThat(registry.names()).containsExactly("t");
  }
}
