// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.SlotHandle;
import dev.coxswain.internal.loop.Inbox;
import dev.coxswain.internal.loop.ReconcileLoop;
import dev.coxswain.internal.loop.SlotGate;
import dev.coxswain.internal.queue.QueueActions;
import dev.coxswain.internal.queue.WorkQueue;
import dev.coxswain.source.EventSource;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.spi.SlotTerm;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Collection;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The slots of one controller: takes the calls of the host to the event loop. */
final class SlotControl<K> implements SlotHandle {
  private final Controller<K> controller;
  private final SlotGate<K> gate;
  private final QueueActions<K> queue;
  private final ReconcileLoop<K> loop;
  private final ControllerTelemetry telemetry;

  SlotControl(
      Controller<K> controller,
      SlotGate<K> gate,
      WorkQueue<K> queue,
      ReconcileLoop<K> loop,
      ControllerTelemetry telemetry) {
    this.controller = controller;
    this.gate = gate;
    this.queue = queue.actions();
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
      redeliver(gate.open(terms, queue));
      done.complete();
    });
  }

  private void redeliver(Predicate<K> requests) {
    for (EventSource<K> source : controller.sources()) {
      try {
        source.redeliver(requests);
      } catch (Throwable e) { // user code
        telemetry.userCodeFailed("redelivery of a source", e);
      }
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
    public void process() {
      try {
        step.accept(done);
      } catch (Throwable e) {
        done.tryFail(e);
        throw e;
      }
    }
  }
}
