// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.internal.engine.SilentSource;
import dev.coxswain.reconcile.CurrentAttempt;
import dev.coxswain.reconcile.LostOwnershipException;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import dev.coxswain.spi.SlotTerm;
import dev.coxswain.spi.Slots;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.Phase;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A sharded controller accepts the requests of its slots and starts those of open ones. */
class ShardedControllerTest {

  private static final Request A0 = Request.of("0", "a");
  private static final Request B0 = Request.of("0", "b");
  private static final Request A1 = Request.of("1", "a");

  private final VirtualTime time = new VirtualTime();
  private final Cluster cluster = new Cluster();
  private final Store store = new Store();
  private final List<Request> started = new ArrayList<>();
  private final List<ReconcileContext> contexts = new ArrayList<>();
  private Future<Result> answer = Future.succeededFuture(Result.done());

  private final ControllerTestKit<Request> kit =
      ControllerTestKit.withSlots(
          Controller.named("sharded")
              .watches(store)
              .options(options -> options.withOwnership(Ownership.SHARDED).withConcurrency(10))
              .reconcilesAsync((request, context) -> {
                started.add(request);
                contexts.add(context);
                return answer;
              }),
          time,
          cluster);

  /** Two slots; the namespace is the number of the slot. */
  private static final class Cluster implements Slots {
    boolean mayStart = true;

    @Override
    public int count() {
      return 2;
    }

    @Override
    public int slotOf(String namespace, String name) {
      return Integer.parseInt(namespace);
    }

    @Override
    public boolean mayStart() {
      return mayStart;
    }
  }

  private static final class Term implements SlotTerm {
    private final int slot;
    private final long epoch;
    boolean ended;

    Term(int slot, long epoch) {
      this.slot = slot;
      this.epoch = epoch;
    }

    @Override
    public int slot() {
      return slot;
    }

    @Override
    public long epoch() {
      return epoch;
    }

    @Override
    public Duration timeLeft() {
      return ended ? Duration.ZERO : Duration.ofSeconds(5);
    }
  }

  /** Holds one object of each request above. */
  private static final class Store extends SilentSource {
    private @Nullable EventSink<Request> sink;

    @Override
    public Future<Void> start(EventSink<Request> to) {
      sink = to;
      return super.start(to);
    }

    @Override
    public void redeliver(Predicate<Request> requests) {
      for (Request request : List.of(A0, B0, A1)) {
        if (requests.test(request)) {
          Objects.requireNonNull(sink).add(request, EventSink.PRIORITY_LOW, Trigger.ACQUIRED);
        }
      }
    }
  }

  private Term open(int slot, long epoch) {
    Term term = new Term(slot, epoch);
    kit.await(kit.slots().open(List.of(term)));
    time.settle();
    return term;
  }

  private Optional<Phase> phase(Request request) {
    return kit.await(kit.handle().item(new ItemId(request.namespace(), request.name())))
        .map(item -> item.phase());
  }

  @Test
  void closedSlot_dropsItsRequests() {
    kit.add(A0);
    assertThat(started).isEmpty();
    assertThat(kit.counters().total()).isZero();
  }

  @Test
  void openedSlot_startsWhatItsSourcesHold_andLaterRequests_andNoOthers() {
    open(0, 1);
    assertThat(started).containsExactlyInAnyOrder(A0, B0);
    assertThat(contexts).extracting(ReconcileContext::trigger).containsOnly(Trigger.ACQUIRED);
    started.clear();
    kit.add(A0);
    kit.add(A1);
    assertThat(started).containsExactly(A0);
  }

  @Test
  void newTermOfAnOpenSlot_deliversNothingAgain() {
    open(0, 1);
    started.clear();
    open(0, 1);
    assertThat(started).isEmpty();
  }

  @Test
  void heldSlot_keepsRequests_andStartsThemWhenItOpens() {
    Request deleted = Request.of("0", "deleted");
    kit.await(kit.slots().hold(List.of(0)));
    kit.add(deleted);
    assertThat(started).isEmpty();
    open(0, 1);
    assertThat(started).containsExactlyInAnyOrder(deleted, A0, B0);
  }

  @Test
  void closing_startsNothing_andEndsWithTheLastAttempt_andReopens_withTheFailuresAsTheyWere() {
    open(0, 1);
    answer = Future.failedFuture("no");
    kit.add(A0);
    answer = time.after(Duration.ofSeconds(3)).map(Result.done());
    kit.add(B0);
    Future<Void> closed = kit.slots().close(0);
    time.advance(Duration.ofSeconds(2));
    started.clear();
    assertThat(closed.isComplete()).isFalse();
    assertThat(started).as("the retry of the first is due").isEmpty();
    time.advance(Duration.ofSeconds(2));
    assertThat(closed.succeeded()).isTrue();

    int tokens = kit.telemetry().tokens();
    answer = Future.succeededFuture(Result.done());
    open(0, 1);
    assertThat(started).contains(A0);
    assertThat(contexts.get(started.indexOf(A0) + contexts.size() - started.size()).failures())
        .isEqualTo(1);
    assertThat(kit.telemetry().tokens()).as("it is still a retry").isGreaterThan(tokens);
  }

  @Test
  void dropped_slotLosesItsItems_andARunningOneAtItsEnd_andOthersStay() {
    Term term = open(0, 1);
    open(1, 1);
    answer = time.after(Duration.ofSeconds(3)).map(Result.requeueAfter(Duration.ofSeconds(1)));
    kit.add(A0);
    answer = Future.succeededFuture(Result.requeueAfter(Duration.ofHours(1)));
    kit.add(B0);
    kit.add(A1);
    term.ended = true;
    kit.await(kit.slots().drop(List.of(0)));
    assertThat(phase(A0)).contains(Phase.IN_FLIGHT);
    assertThat(phase(B0)).isEmpty();
    assertThat(phase(A1)).contains(Phase.DELAYED);
    time.advance(Duration.ofSeconds(10));
    assertThat(phase(A0)).isEmpty();
  }

  @Test
  void requestIsNotStartedInANewTerm_whileAnAttemptOfAnOldOneRuns() {
    open(0, 1);
    answer = time.after(Duration.ofSeconds(3)).map(Result.done());
    kit.add(A0);
    kit.await(kit.slots().drop(List.of(0)));
    started.clear();
    answer = Future.succeededFuture(Result.done());
    open(0, 2);
    assertThat(started).containsExactly(B0);
    time.advance(Duration.ofSeconds(3));
    assertThat(started).containsExactly(B0, A0);
  }

  @Test
  void attempt_belongsToTheTermInWhichItStarted_forGood() {
    Term first = open(0, 7);
    answer = time.after(Duration.ofSeconds(3)).map(Result.done());
    kit.add(A0);
    ReconcileContext old = contexts.getLast();
    old.ensureOwned();
    first.ended = true;
    open(0, 8);
    kit.add(A0);
    assertThat(old.epoch()).isEqualTo(7);
    assertThatThrownBy(old::ensureOwned).isInstanceOf(LostOwnershipException.class);
    time.advance(Duration.ofSeconds(4));
    assertThat(contexts.getLast().epoch()).isEqualTo(8);
  }

  @Test
  void nothingIsStarted_whileThisReplicaMayNotAct_andEverythingAfterwards() {
    open(0, 1);
    started.clear();
    cluster.mayStart = false;
    kit.add(A0);
    time.advance(Duration.ofMinutes(1));
    assertThat(started).isEmpty();
    assertThat(phase(A0)).contains(Phase.READY);
    cluster.mayStart = true;
    kit.slots().refresh();
    time.settle();
    assertThat(started).containsExactly(A0);
  }

  @Test
  void cancel_reachesTheAttemptsOfTheSlot_andNoOthers() {
    open(0, 1);
    open(1, 1);
    answer = time.after(Duration.ofSeconds(3)).map(Result.done());
    kit.add(A0);
    kit.add(A1);
    kit.await(kit.slots().cancel(List.of(0)));
    assertThat(contexts.get(contexts.size() - 2).isCancelled()).isTrue();
    assertThat(contexts.getLast().isCancelled()).isFalse();
  }

  @Test
  void manyItemsOfAHeldSlot_doNotKeepThoseOfAnOpenOneFromStarting() {
    open(0, 1);
    open(1, 1);
    cluster.mayStart = false;
    for (int i = 0; i < 5_000; i++) {
      kit.sink().add(Request.of("0", "x" + i));
    }
    kit.sink().add(Request.of("1", "last"));
    time.settle();
    started.clear();
    Future<Void> closed = kit.slots().close(0);
    cluster.mayStart = true;
    kit.slots().refresh();
    time.settle();
    assertThat(closed.succeeded()).isTrue();
    assertThat(started).containsExactly(Request.of("1", "last"));
    open(0, 1);
    assertThat(started).hasSize(5_001);
  }

  @Test
  void reconcilersThread_hasTheAttempt_andSoHasABoundTask() {
    List<Optional<ReconcileContext>> found = new ArrayList<>();
    List<ReconcileContext> own = new ArrayList<>();
    ControllerTestKit<Request> blocking =
        ControllerTestKit.withSlots(
            Controller.named("blocking")
                .options(options -> options.withOwnership(Ownership.SHARDED))
                .reconciles((request, context) -> {
                  own.add(context);
                  found.add(CurrentAttempt.get());
                  return Result.done();
                }),
            time,
            cluster);
    blocking.await(blocking.slots().open(List.of(new Term(0, 1))));
    blocking.add(A0);
    assertThat(found).containsExactly(Optional.of(own.getFirst()));
    assertThat(CurrentAttempt.get()).isEmpty();
    own.getFirst().bind(() -> found.add(CurrentAttempt.get())).run();
    assertThat(found.getLast()).contains(own.getFirst());
  }
}
