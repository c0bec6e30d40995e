// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.sharding.internal.ownership.ControllerGate;
import dev.coxswain.sharding.internal.replica.HostSlots;
import dev.coxswain.sharding.internal.replica.ShardedControllers;
import dev.coxswain.spi.MovedSlot;
import dev.coxswain.spi.SlotTerm;
import dev.coxswain.spi.Slots;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The slots of this replica as its controllers see them: which are held, which are open, and in
 * which terms. A controller that is deployed later begins with the present state.
 *
 * <p>Thread rule: the methods of {@link ShardedControllers} on any thread; the rest on the context of the
 * manager.
 */
final class ControllerSlots implements ShardedControllers {

  private final Context context;
  private final Collection<ManagedController> controllers;
  private final Map<Integer, SlotTerm> open = new TreeMap<>();
  private final Set<Integer> held = new TreeSet<>();
  private @Nullable HostSlots slots;
  private String problem = "";
  private final ControllerGate gate;

  /**
   * Creates the slots.
   *
   * @param gate compares the ownership of controllers with that of other replicas
   */
  ControllerSlots(Context context, Collection<ManagedController> controllers, ControllerGate gate) {
    this.context = context;
    this.controllers = controllers;
    this.gate = gate;
    gate.onChange(() -> onContext(() -> each(ManagedController::slotsChanged)));
  }

  /** Returns whether a controller of this ownership is to run on this replica, and may. */
  boolean runs(String controller, Ownership ownership) {
    HostSlots known = slots;
    boolean wanted =
        switch (ownership) {
          case EVERYWHERE -> true;
          case SHARDED -> known != null;
          case LEADER -> known != null && isHere(known.slotOfController(controller));
        };
    return gate.admits(controller, ownership, wanted);
  }

  /** The controller does not run; returns what keeps it from running, or an empty text. */
  String ended(String controller) {
    return gate.ended(controller);
  }

  /** Returns the epoch with which a controller is admitted; any thread. */
  long epoch(String controller) {
    return gate.epoch(controller);
  }

  /** The replica has the controller no more, and nothing of it runs. */
  void removed(String controller) {
    gate.removed(controller);
  }

  /** Returns why this replica cannot own slots; empty when it can. */
  String problem() {
    return problem;
  }

  private boolean isHere(int slot) {
    return held.contains(slot) || open.containsKey(slot);
  }

  /** Returns whether this replica owns the slot of a controller that one replica runs. */
  boolean leads(String controller) {
    HostSlots known = slots;
    return known != null && open.containsKey(known.slotOfController(controller));
  }

  /** Returns the slots for the engine of a controller; null when every replica runs it. */
  @Nullable Slots of(String controller, Ownership ownership) {
    HostSlots known = slots;
    return switch (ownership) {
      case EVERYWHERE -> null;
      case SHARDED -> known;
      case LEADER -> known == null ? null : known.ofController(controller);
    };
  }

  /** Returns the held slots. */
  Set<Integer> held() {
    return Set.copyOf(held);
  }

  /** Returns the terms of the open slots. */
  List<SlotTerm> open() {
    return List.copyOf(open.values());
  }

  @Override
  public void begin(HostSlots known) {
    onContext(() -> {
      boolean again = slots != null;
      slots = known;
      open.clear();
      held.clear();
      each(again ? ManagedController::redeploy : ManagedController::slotsChanged);
    });
  }

  @Override
  public Future<Void> hold(Collection<Integer> which) {
    Promise<Void> ready = Promise.promise();
    onContext(() -> {
      held.addAll(which);
      open.keySet().removeAll(which);
      List<Future<Void>> all = new ArrayList<>();
      each(controller -> {
        controller.slotsChanged();
        controller.deployed().hold(which);
        all.add(controller.readyForSlots());
      });
      Future.all(all).<Void>mapEmpty().onComplete(ready);
    });
    return ready.future();
  }

  @Override
  public Future<Void> open(Collection<? extends SlotTerm> terms) {
    Promise<Void> opened = Promise.promise();
    onContext(() -> {
      for (SlotTerm term : terms) {
        open.put(term.slot(), term);
        held.remove(term.slot());
      }
      List<Future<Void>> all = new ArrayList<>();
      each(controller -> {
        controller.slotsChanged();
        all.add(controller.deployed().open(terms));
      });
      Future.join(all).<Void>mapEmpty().onComplete(opened);
    });
    return opened.future();
  }

  @Override
  public Future<Void> openMoved(SlotTerm term, Map<String, MovedSlot> moved) {
    Promise<Void> opened = Promise.promise();
    onContext(() -> {
      open.put(term.slot(), term);
      held.remove(term.slot());
      List<Future<Void>> all = new ArrayList<>();
      each(controller -> {
        MovedSlot state = moved.get(controller.name());
        controller.slotsChanged();
        all.add(
            state == null
                ? controller.deployed().open(List.of(term))
                : controller.deployed().openMoved(term, state));
      });
      Future.join(all).<Void>mapEmpty().onComplete(opened);
    });
    return opened.future();
  }

  @Override
  public Future<Map<String, MovedSlot>> export(int slot, int limit) {
    Promise<Map<String, MovedSlot>> exported = Promise.promise();
    onContext(() -> {
      Map<String, Future<MovedSlot>> all = new TreeMap<>();
      each(controller -> all.put(controller.name(), controller.deployed().export(slot, limit)));
      Future.all(List.copyOf(all.values()))
          .<Map<String, MovedSlot>>map(_ -> {
            Map<String, MovedSlot> state = new TreeMap<>();
            all.forEach((name, one) -> state.put(name, one.result()));
            return state;
          })
          .onComplete(exported);
    });
    return exported.future();
  }

  @Override
  public Future<Void> close(int slot) {
    Promise<Void> ended = Promise.promise();
    onContext(() -> {
      if (open.remove(slot) != null) {
        held.add(slot);
      }
      List<Future<Void>> all = new ArrayList<>();
      each(controller -> all.add(controller.deployed().close(slot)));
      Future.join(all).<Void>mapEmpty().onComplete(ended);
    });
    return ended.future();
  }

  @Override
  public void drop(Collection<Integer> which) {
    onContext(() -> {
      open.keySet().removeAll(which);
      held.removeAll(which);
      each(controller -> {
        controller.deployed().drop(which);
        controller.slotsChanged();
      });
    });
  }

  @Override
  public void cancel(Collection<Integer> which) {
    onContext(() -> each(controller -> controller.deployed().cancel(which)));
  }

  @Override
  public void problem(String reason) {
    onContext(() -> {
      problem = reason;
      each(controller -> controller.ownershipProblem(reason));
    });
  }

  @Override
  public void refresh() {
    onContext(() -> each(controller -> controller.deployed().refresh()));
  }

  private void each(Consumer<ManagedController> action) {
    controllers.forEach(action);
  }

  private void onContext(Runnable task) {
    context.runOnContext(_ -> task.run());
  }
}
