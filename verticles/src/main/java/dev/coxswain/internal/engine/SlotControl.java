// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import dev.coxswain.controller.SlotHandle;
import dev.coxswain.internal.loop.Inbox;
import dev.coxswain.internal.loop.NamespaceScope;
import dev.coxswain.internal.loop.ReconcileLoop;
import dev.coxswain.internal.loop.SlotGate;
import dev.coxswain.internal.queue.QueueActions;
import dev.coxswain.internal.queue.QueueMoves;
import dev.coxswain.internal.queue.WorkQueue;
import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.source.Acquisition;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.spi.MovedAttempts;
import dev.coxswain.spi.MovedItem;
import dev.coxswain.spi.MovedSlot;
import dev.coxswain.spi.SlotTerm;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
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
  private final SlotHistory<K> history;
  private final NamespaceScope<K> scope;

  // Confined to the loop. What an unfinished drop has not visited must not meet what comes with the
  // next term of its slot, so the steps after it wait for its end. A step that waits while another
  // drop begins has no effect on the slots of that one.

  /** The number of drops that have not visited the whole queue. */
  private int drops;

  private final Deque<Runnable> waiting = new ArrayDeque<>();

  /** How often each slot was dropped. */
  private final Map<Integer, Integer> dropped = new HashMap<>();

  SlotControl(
      RequestFormat<K> format,
      SourceGroup<K> sources,
      SlotGate<K> gate,
      WorkQueue<K> queue,
      ReconcileLoop<K> loop,
      ControllerTelemetry telemetry,
      NamespaceScope<K> scope) {
    this.scope = scope;
    this.sources = sources;
    this.gate = gate;
    this.queue = queue.actions();
    this.moves = queue.moves(format);
    this.loop = loop;
    this.telemetry = telemetry;
    this.history = new SlotHistory<>(loop.history(), format, telemetry, loop.yielding());
  }

  @Override
  public Future<Void> hold(Collection<Integer> slots) {
    return inTurn((present, done) -> {
      gate.hold(slots.stream().filter(present).toList());
      done.complete();
    });
  }

  @Override
  public Future<Void> open(Collection<? extends SlotTerm> terms) {
    return inTurn((present, done) -> {
      List<SlotTerm> begun = new ArrayList<>(terms);
      begun.removeIf(term -> !present.test(term.slot()));
      gate.open(begun, queue).ifPresent(opened -> redeliver(opened, Set.of(), NOTHING));
      done.complete();
    });
  }

  @Override
  public Future<Void> openMoved(SlotTerm term, MovedSlot moved) {
    return inTurn((present, done) -> {
      if (present.test(term.slot())) {
        gate.hold(List.of(term.slot()));
        Optional<Predicate<K>> opened = gate.open(List.of(term), queue);
        Set<K> known = new HashSet<>();
        moved.items().forEach(item -> restore(item, known));
        history.restore(moved.history());
        opened.ifPresent(requests -> redeliver(requests, known, moved));
      }
      done.complete();
    });
  }

  private void restore(MovedItem item, Set<K> known) {
    try {
      // The former owner may watch namespaces that this replica does not, or not yet.
      moves.restore(item, scope::accepts).ifPresent(known::add);
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
    List<MovedAttempts> attempts = new ArrayList<>();
    return inTurn(
            (present, done) -> {
              // Last what was set aside: an item that becomes due while the queue is visited goes
              // there, and a walk from then on does not find it.
              Set<K> visited = new HashSet<>();
              Promise<Void> walked = Promise.promise();
              exportFrom(
                  0,
                  request -> gate.slotOf(request) == slot && visited.add(request),
                  items,
                  limit,
                  walked);
              walked
                  .future()
                  .onSuccess(_ -> {
                    gate.aside(slot).stream()
                        .filter(item -> items.size() < limit && visited.add(item.key()))
                        .forEach(item -> moves.export(item, items));
                    history.export(
                        request -> gate.slotOf(request) == slot,
                        past -> {
                          attempts.addAll(past);
                          done.complete();
                        });
                  })
                  .onFailure(done::fail);
            })
        .map(_ -> new MovedSlot(items, positions, added, attempts));
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
    return inTurn((present, done) -> gate.close(slot, done));
  }

  @Override
  public Future<Void> drop(Collection<Integer> slots) {
    return onLoop(done -> {
      slots.forEach(slot -> dropped.merge(slot, 1, Integer::sum));
      Predicate<K> requests = gate.drop(slots); // at once: nothing of them starts any more
      drops++;
      dropFrom(0, requests, done);
    });
  }

  /** Visits the queue in short steps, between which the event loop does other work. */
  private void dropFrom(long position, Predicate<K> requests, Promise<Void> done) {
    long next;
    try {
      next = queue.dropSome(position, requests);
    } catch (Throwable e) { // the format of a request is user code
      telemetry.userCodeFailed("format of a request", e);
      history.drop(requests, () -> endDrop(done));
      return;
    }
    if (next == QueueActions.END) {
      history.drop(requests, () -> endDrop(done));
    } else {
      loop.yielding().execute(() -> dropFrom(next, requests, done));
    }
  }

  private void endDrop(Promise<Void> done) {
    drops--;
    while (drops == 0 && !waiting.isEmpty()) {
      waiting.remove().run();
    }
    loop.pump(); // shows the counts of what is left, and starts what waited
    done.complete();
  }

  /** Takes a step when no drop is under way, with a test for the slots not dropped meanwhile. */
  private Future<Void> inTurn(BiConsumer<Predicate<Integer>, Promise<Void>> step) {
    return onLoop(done -> {
      if (drops == 0) {
        step.accept(_ -> true, done);
        return;
      }
      Map<Integer, Integer> before = Map.copyOf(dropped);
      waiting.add(() -> {
        try {
          step.accept(slot -> Objects.equals(before.get(slot), dropped.get(slot)), done);
        } catch (Throwable e) {
          telemetry.userCodeFailed("slots of a controller", e);
          done.tryFail(e);
        }
      });
    });
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
