// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.internal.engine.SilentSource;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.Acquisition;
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
import org.jspecify.annotations.Nullable;

/** A sharded controller with two slots, and a source that holds three objects. */
abstract class ShardedControllerFixture {

  static final Request A0 = Request.of("0", "a");
  static final Request B0 = Request.of("0", "b");
  static final Request A1 = Request.of("1", "a");

  final VirtualTime time = new VirtualTime();
  final Cluster cluster = new Cluster();
  final Store store = new Store();
  final List<Request> started = new ArrayList<>();
  final List<ReconcileContext> contexts = new ArrayList<>();
  Future<Result> answer = Future.succeededFuture(Result.done());

  final Controller.Builder<Request> builder = Controller.named("sharded");

  final ControllerTestKit<Request> kit =
      ControllerTestKit.withSlots(
          builder
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
  static final class Cluster implements Slots {
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

  static final class Term implements SlotTerm {
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
  static final class Store extends SilentSource {
    final List<String> positions = new ArrayList<>();

    /** What it delivers at its start. */
    List<Request> atStart = List.of(A0, B0, A1);

    /** The object that has changed since the position of the former owner. */
    @Nullable Request changed;

    @Nullable EventSink<Request> sink;

    @Override
    public Future<Void> start(EventSink<Request> to) {
      sink = to;
      for (Request request : atStart) {
        to.add(request, EventSink.PRIORITY_LOW, Trigger.INITIAL_LIST);
      }
      return super.start(to);
    }

    @Override
    public String position() {
      return "7";
    }

    @Override
    public void redeliver(Acquisition<Request> acquired) {
      if (List.of(A0, B0, A1).stream().noneMatch(acquired.requests())) {
        return;
      }
      positions.add(acquired.position());
      for (Request request : List.of(A0, B0, A1)) {
        if (request.equals(changed)
            ? acquired.requests().test(request)
            : acquired.unknown().test(request)) {
          Objects.requireNonNull(sink).add(request, EventSink.PRIORITY_LOW, Trigger.ACQUIRED);
        }
      }
    }
  }

  Term open(int slot, long epoch) {
    Term term = new Term(slot, epoch);
    kit.await(kit.slots().open(List.of(term)));
    time.settle();
    return term;
  }

  Optional<Phase> phase(Request request) {
    return kit.await(kit.handle().item(new ItemId(request.namespace(), request.name())))
        .map(item -> item.phase());
  }

  int failures(Request request) {
    return kit.await(kit.handle().item(new ItemId(request.namespace(), request.name())))
        .map(item -> item.failures())
        .orElse(0);
  }
}
