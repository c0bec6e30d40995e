// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.source.SourceRegistry;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ControllerStatus.SourceStatus;
import dev.coxswain.view.ControllerStatus.State;
import dev.coxswain.view.ItemId;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A controller adds and removes sources while it runs. */
class AddedSourcesTest extends AddedSourcesFixture {

  @Test
  void addedSource_isStarted_shownWithItsName_andDelivers() {
    StagedSource source = new StagedSource("templates");
    Future<StagedSource> added = add("t", () -> source);
    assertThat(source.starts).isEqualTo(1);
    assertThat(added.isComplete()).isFalse();
    assertThat(shown())
        .containsExactly(
            new SourceStatus("first", true, null), new SourceStatus("templates", false, null, "t"));

    source.problem = "not installed";
    assertThat(shown().getLast().problem()).isEqualTo("not installed");
    source.problem = null;
    source.synced.complete();
    time.settle();
    assertThat(added.result()).isSameAs(source);
    assertThat(shown().getLast().synced()).isTrue();
    source.deliver(REQUEST);
    time.settle();
    assertThat(reconciled).containsExactly(REQUEST);
    assertThat(registry.names()).containsExactly("t");
  }

  @Test
  void sourceThatHasNotSynced_leavesTheControllerRunning() {
    kit();
    add("t", () -> new StagedSource("templates"));
    time.advance(Duration.ofHours(1));
    assertThat(kit().handle().status().state()).isEqualTo(State.RUNNING);
    assertThat(kit().handle().status().conditions()).isEmpty();
    kit().add(REQUEST);
    assertThat(reconciled).containsExactly(REQUEST);
  }

  @Test
  void secondSourceOfAName_isNeitherMadeNorStarted_theFirstOneIsReturned() {
    StagedSource source = new StagedSource("templates");
    Future<StagedSource> before = add("t", () -> source);
    Future<StagedSource> again =
        add(
            "t",
            () -> {
              throw new AssertionError("called");
            });
    source.synced.complete();
    time.settle();
    assertThat(before.result()).isSameAs(source);
    assertThat(again.result()).isSameAs(source);
    assertThat(add("t", () -> new StagedSource("other")).result()).isSameAs(source);
    assertThat(source.starts).isEqualTo(1);
  }

  @Test
  void nextAttempt_findsTheSourceAtOnce() {
    StagedSource source = StagedSource.synced("templates");
    add("t", () -> source);
    Future<StagedSource> again = registry.add("t", () -> new StagedSource("other"));
    assertThat(again.isComplete()).as("without a turn of the event loop").isTrue();
    registry.remove("t");
    assertThat(registry.add("t", () -> new StagedSource("other")).isComplete())
        .as("calls take effect in their order")
        .isFalse();
  }

  @Test
  void numberOfSources_isBounded_untilOneIsRemoved() {
    for (int i = 0; i < SourceRegistry.MAX_SOURCES; i++) {
      assertThat(add("t" + i, () -> StagedSource.synced("templates")).succeeded()).isTrue();
    }
    Future<StagedSource> more = add("more", () -> StagedSource.synced("templates"));
    assertThat(more.cause())
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "source \"more\" was not added: controller \"view\" has 64 added sources, the maximum;"
                + " remove one before");
    assertThat(add("t7", () -> new StagedSource("templates")).succeeded()).isTrue();
    kit().await(registry.remove("t3"));
    assertThat(add("more", () -> StagedSource.synced("templates")).succeeded()).isTrue();
  }

  @Test
  void names_areChecked() {
    assertThatThrownBy(() -> registry.add(" ", () -> first))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> registry.add("x".repeat(101), () -> first))
        .hasMessageContaining("not longer than 100 characters");
  }

  @Test
  void removedSource_isStopped_andItsNameIsFreeAtOnce() {
    StagedSource source = new StagedSource("templates");
    Promise<Void> end = Promise.promise();
    source.end = end.future();
    Future<StagedSource> added = add("t", () -> source);
    Future<Boolean> removed = registry.remove("t");
    time.settle();
    assertThat(added.cause()).hasMessage("source \"t\" was removed before it synced");
    assertThat(source.stops).isEqualTo(1);
    assertThat(removed.isComplete()).as("it may still deliver").isFalse();
    assertThat(shown()).hasSize(1);
    StagedSource next = StagedSource.synced("templates");
    assertThat(add("t", () -> next).result()).isSameAs(next);

    source.synced.complete(); // too late
    end.complete();
    time.settle();
    assertThat(removed.result()).isTrue();
    assertThat(next.isRunning()).isTrue();
    assertThat(kit().await(registry.remove("unknown"))).isFalse();
  }

  @Test
  void stop_stopsAddedSources_andWaitsForRemovedOnes() {
    StagedSource running = StagedSource.synced("running");
    StagedSource pending = new StagedSource("pending");
    StagedSource removed = StagedSource.synced("removed");
    Promise<Void> end = Promise.promise();
    removed.end = end.future();
    add("running", () -> running);
    Future<StagedSource> starting = add("pending", () -> pending);
    add("removed", () -> removed);
    registry.remove("removed");
    time.settle();

    time.after(Duration.ofSeconds(3)).onSuccess(_ -> end.complete());
    long begun = time.nanos();
    kit().stop(Duration.ZERO);
    assertThat(time.nanos() - begun).isEqualTo(Duration.ofSeconds(3).toNanos());
    assertThat(running.stops).isEqualTo(1);
    assertThat(pending.stops).isEqualTo(1);
    assertThat(removed.stops).isEqualTo(1);
    assertThat(starting.cause()).hasMessageContaining("stops or has stopped");
    assertThat(registry.names()).isEmpty();
    StagedSource late = StagedSource.synced("late");
    assertThat(add("late", () -> late).cause()).hasMessageContaining("stops or has stopped");
    assertThat(late.starts).isZero();
    assertThat(kit().await(registry.remove("running"))).isFalse();
  }

  @Test
  void attemptThatEndsDuringTheDrain_addsNothing() {
    Controller.Builder<Request> slow = Controller.named("slow");
    SourceRegistry<Request> own = slow.sourceRegistry();
    StagedSource late = StagedSource.synced("late");
    List<Future<StagedSource>> added = new ArrayList<>();
    ControllerTestKit<Request> slowKit =
        ControllerTestKit.of(
            slow.reconcilesAsync((request, context) ->
                time.after(Duration.ofSeconds(1))
                    .map(_ -> {
                      added.add(own.add("late", () -> late));
                      return Result.done();
                    })),
            time);
    slowKit.add(REQUEST);
    slowKit.stop(Duration.ofSeconds(10));
    assertThat(added).singleElement().matches(Future::failed);
    assertThat(late.starts).isZero();
  }

  @Test
  void sourceThatIsAddedBefore_startsWithTheController_whichDoesNotWaitForIt() {
    StagedSource source = new StagedSource("templates");
    Future<StagedSource> added = registry.add("t", () -> source);
    assertThat(registry.add("t", () -> new StagedSource("other"))).isSameAs(added);
    assertThat(registry.names()).containsExactly("t");
    assertThat(source.starts).isZero();

    kit();
    time.settle();
    assertThat(source.starts).isEqualTo(1);
    assertThat(kit().handle().status().state()).isEqualTo(State.RUNNING);
    assertThat(added.isComplete()).isFalse();

    source.deliver(REQUEST);
    source.synced.complete();
    time.settle();
    assertThat(added.result()).isSameAs(source);
    assertThat(reconciled).containsExactly(REQUEST);
    assertThat(registry.add("t", () -> new StagedSource("other")).result()).isSameAs(source);
  }

  @Test
  void sourceThatIsAddedBefore_andRemoved_isNeverMade() {
    Future<StagedSource> added = registry.add("t", () -> first);
    assertThat(registry.remove("t").result()).isTrue();
    assertThat(registry.remove("t").result()).isFalse();
    assertThat(added.cause()).hasMessageContaining("was removed before it synced");
    assertThat(registry.names()).isEmpty();
    kit();
    time.settle();
    assertThat(shown()).hasSize(1);
  }

  @Test
  void sourcesThatAreAddedBefore_areBounded() {
    for (int i = 0; i < SourceRegistry.MAX_SOURCES; i++) {
      assertThat(registry.add("t" + i, () -> first).isComplete()).isFalse();
    }
    assertThat(registry.add("more", () -> first).cause()).hasMessageContaining("the maximum");
  }

  @Test
  void reconcilersOfBothKinds_addSources_inAnAttempt() {
    StagedSource blocking = StagedSource.synced("blocking");
    StagedSource async = StagedSource.synced("async");
    Controller.Builder<Request> one = Controller.named("one");
    Controller.Builder<Request> other = Controller.named("other");
    SourceRegistry<Request> ofOne = one.sourceRegistry();
    SourceRegistry<Request> ofOther = other.sourceRegistry();
    ControllerTestKit.of(
            one.reconciles((request, context) -> {
              ofOne.add("t", () -> blocking);
              return Result.done();
            }),
            time)
        .add(REQUEST);
    ControllerTestKit.of(
            other.reconcilesAsync(
                (request, context) -> ofOther.add("t", () -> async).map(_ -> Result.done())),
            time)
        .add(REQUEST);
    time.settle();
    assertThat(blocking.isRunning()).isTrue();
    assertThat(async.isRunning()).isTrue();
  }

  @Test
  void objectsOfAddedSources_areExplained() {
    StagedSource source = StagedSource.synced("template");
    ItemId id = new ItemId("shop", "template");
    kit();
    String held = "The cache holds the object";
    assertThat(kit().await(kit().handle().explain(id)).message()).doesNotContain(held);
    add("t", () -> source);
    assertThat(kit().await(kit().handle().explain(id)).message()).contains(held);
  }

  /** Every source that was started is stopped once, whatever happens in which order. */
  @Test
  void randomHistories_leaveNoSourceBehind() {
    int stopped = 0;
    for (long seed = 0; seed < 300; seed++) {
      stopped += history(seed);
    }
    assertThat(stopped).as("the histories are about something").isGreaterThan(1_000);
  }

  private int history(long seed) {
    Random random = new Random(seed);
    VirtualTime own = new VirtualTime();
    Controller.Builder<Request> some = Controller.named("some");
    SourceRegistry<Request> sources = some.sourceRegistry();
    ControllerTestKit<Request> running =
        ControllerTestKit.of(some.reconciles((request, context) -> Result.done()), own);
    List<StagedSource> made = new ArrayList<>();
    Map<String, StagedSource> newest = new HashMap<>();
    List<Future<?>> results = new ArrayList<>();
    int steps = 5 + random.nextInt(40);
    for (int i = 0; i < steps; i++) {
      String name = "t" + random.nextInt(4);
      switch (random.nextInt(5)) {
        case 0, 1 ->
            results.add(
                sources.add(
                    name,
                    () -> {
                      StagedSource source = new StagedSource(name);
                      made.add(source);
                      newest.put(name, source);
                      return source;
                    }));
        case 2 -> results.add(sources.remove(name));
        case 3 ->
            made.stream()
                .skip(random.nextInt(made.size() + 1))
                .findFirst()
                .ifPresent(one -> one.synced.tryComplete());
        default ->
            made.stream()
                .skip(random.nextInt(made.size() + 1))
                .findFirst()
                .ifPresent(one -> one.synced.tryFail("on purpose"));
      }
      if (random.nextInt(3) > 0) {
        own.settle();
        for (StagedSource source : made) {
          boolean listed = sources.names().stream().anyMatch(one -> newest.get(one) == source);
          assertThat(source.isRunning()).as("seed %d, step %d", seed, i).isEqualTo(listed);
        }
      }
    }
    running.stop(Duration.ZERO);
    own.settle();
    assertThat(made).as("seed %d", seed).allMatch(one -> one.starts == 1 && one.stops == 1);
    assertThat(results).as("seed %d", seed).allMatch(Future::isComplete);
    return made.size();
  }
}
