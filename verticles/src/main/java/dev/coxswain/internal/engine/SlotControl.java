// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import dev.coxswain.controller.SlotHandle;
import dev.coxswain.internal.loop.Inbox;
import dev.coxswain.internal.loop.ReconcileLoop;
import dev.coxswain.internal.loop.SlotGate;
import dev.coxswain.internal.queue.QueueActions;
import dev.coxswain.internal.queue.QueueMoves;
import dev.coxswain.internal.queue.WorkQueue;
import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.source.Acquisition;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.spi.MovedItem;
import dev.coxswain.spi.MovedSlot;
import dev.coxswain.spi.SlotTerm;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The slots of one controller: takes the calls of the host to the event loop. */
final class SlotControl<K> implements SlotHandle {
  private static final MovedSlot NOTHING = new MovedSlot(List.of(), List.of());

  private final SourceGroup<K> sources;
  private final SlotGate<K> gate;
  private final QueueActions<K> queue;
  private final QueueMoves<K> moves;
  private final ReconcileLoop<K> loop;
  private final ControllerTelemetry telemetry;

  SlotControl(
      RequestFormat<K> format,
      SourceGroup<K> sources,
      SlotGate<K> gate,
      WorkQueue<K> queue,
      ReconcileLoop<K> loop,
      ControllerTelemetry telemetry) {
    this.sources = sources;
    this.gate = gate;
    this.queue = queue.actions();
    this.moves = queue.moves(format);
    this.loop = loop;
    this.telemetry = telemetry;
  }

  @Override
  public Future<Void> hold(Collection<Integer> slots) {
    return onLoop(done -> {
      gate.hold(slots);
      done.complete();
    });
  }

  @Override
  public Future<Void> open(Collection<? extends SlotTerm> terms) {
    return onLoop(done -> {
      gate.open(terms, queue).ifPresent(opened -> redeliver(opened, Set.of(), NOTHING));
      done.complete();
    });
  }

  @Override
  public Future<Void> openMoved(SlotTerm term, MovedSlot moved) {
    return onLoop(done -> {
      gate.hold(List.of(term.slot()));
      Optional<Predicate<K>> opened = gate.open(List.of(term), queue);
      Set<K> known = new HashSet<>();
      moved.items().forEach(item -> restore(item, known));
      opened.ifPresent(requests -> redeliver(requests, known, moved));
      done.complete();
    });
  }

  private void restore(MovedItem item, Set<K> known) {
    try {
      moves.restore(item).ifPresent(known::add);
    } catch (Throwable e) { // equals and hashCode of a request, and its format, are user code
      telemetry.userCodeFailed("format of a request", e);
    }
  }

  private void redeliver(Predicate<K> requests, Set<K> known, MovedSlot moved) {
    List<RunningSource<K>> first = sources.first();
    Map<String, RunningSource<K>> added = sources.added();
    // Without a position everything is delivered, so that no change is missed. The former owner may
    // have added a source that is not here yet: the attempts that this starts add it.
    boolean comparable =
        moved.positions().size() == first.size()
            && added.keySet().containsAll(moved.added().keySet());
    for (int i = 0; i < first.size(); i++) {
      redeliver(first.get(i), requests, known, comparable ? moved.positions().get(i) : "");
    }
    added.forEach((name, source) ->
        redeliver(source, requests, known, comparable ? moved.added().getOrDefault(name, "") : ""));
  }

  private void redeliver(
      RunningSource<K> source, Predicate<K> requests, Set<K> known, String position) {
    try {
      source
          .source()
          .redeliver(
              position.isEmpty()
                  ? Acquisition.of(requests)
                  : new Acquisition<>(requests, known::contains, position));
    } catch (Throwable e) { // user code
      telemetry.userCodeFailed("redelivery of a source", e);
    }
  }

  @Override
  public Future<MovedSlot> export(int slot, int limit) {
    // Before the step: what a source has delivered by now is in the inbox ahead of it.
    List<String> positions = sources.first().stream().map(RunningSource::position).toList();
    Map<String, String> added = new HashMap<>();
    sources.added().forEach((name, source) -> added.put(name, source.position()));
    List<MovedItem> items = new ArrayList<>();
    return onLoop(
            done -> {
              gate.aside(slot).stream().limit(limit).forEach(item -> moves.export(item, items));
              exportFrom(0, request -> gate.slotOf(request) == slot, items, limit, done);
            })
        .map(_ -> new MovedSlot(items, positions, added));
  }

  /** Visits the queue in short steps, between which the event loop does other work. */
  private void exportFrom(
      long from, Predicate<K> requests, List<MovedItem> items, int limit, Promise<Void> done) {
    long next = moves.exportSome(from, requests, items, limit);
    if (next == QueueActions.END) {
      done.complete();
    } else {
      loop.yielding().execute(() -> exportFrom(next, requests, items, limit, done));
    }
  }

  @Override
  public Future<Void> close(int slot) {
    return onLoop(done -> gate.close(slot, done));
  }

  @Override
  public Future<Void> drop(Collection<Integer> slots) {
    return onLoop(done -> dropFrom(0, gate.drop(slots), done));
  }

  /** Visits the queue in short steps, between which the event loop does other work. */
  private void dropFrom(long position, Predicate<K> requests, Promise<Void> done) {
    long next = queue.dropSome(position, requests);
    if (next == QueueActions.END) {
      loop.pump(); // shows the counts of what is left
      done.complete();
    } else {
      loop.yielding().execute(() -> dropFrom(next, requests, done));
    }
  }

  @Override
  public Future<Void> cancel(Collection<Integer> slots) {
    Set<Integer> all = Set.copyOf(slots);
    return onLoop(done -> {
      loop.cancel(term -> all.contains(term.slot()));
      done.complete();
    });
  }

  @Override
  public void refresh() {
    onLoop(Promise::complete); // the pump after the inbox looks again
  }

  private Future<Void> onLoop(Consumer<Promise<Void>> step) {
    Promise<Void> done = Promise.promise();
    if (!loop.inbox().offer(new Step(step, done))) {
      done.fail(new IllegalStateException("the controller has been stopped"));
    }
    return done.future();
  }

  @SuppressWarnings("serial") // a node of the inbox by inheritance only; never serialized
  private static final class Step extends Inbox.Node {
    private final Consumer<Promise<Void>> step;
    private final Promise<Void> done;

    Step(Consumer<Promise<Void>> step, Promise<Void> done) {
      this.step = step;
      this.done = done;
    }

    @Override
    public void process(long now) {
      try {
        step.accept(done);
      } catch (Throwable e) {
        done.tryFail(e);
        throw e;
      }
    }
  }
}
