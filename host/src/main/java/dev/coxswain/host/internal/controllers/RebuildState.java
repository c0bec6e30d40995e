// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.internal.time.Durations;
import dev.coxswain.spi.MovedSlot;
import dev.coxswain.spi.SlotTerm;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a controller while it is built again: its caches, and the requests of its former
 * runs.
 *
 * <p>Thread rule: confined to the context of the manager.
 */
final class RebuildState {

  /** Beside two drains, for the author's code, which has no time limit of its own. */
  private static final Duration SPARE = Duration.ofMinutes(1);

  private final ControllerSetup setup;
  private final Context context;
  private @Nullable Runnable heldCaches;
  private long timer = -1;

  /** The runs whose requests the present one does not have yet, with their slots. */
  private final Map<ControllerHandle, DeployedSlots> former = new LinkedHashMap<>();

  private final LeftSlots slots = new LeftSlots();
  private Future<?> passed = Future.succeededFuture();

  /**
   * The slots while it is not deployed. They may move meanwhile: what its former runs have left goes with
   * them, and what comes with them is kept for the next run.
   */
  private final class LeftSlots extends DeployedSlots {
    private final Map<Integer, MovedSlot> moved = new HashMap<>();

    LeftSlots() {
      super(null, () -> 0);
    }

    @Override
    Future<Void> openMoved(SlotTerm term, MovedSlot state) {
      moved.put(term.slot(), state);
      return Future.succeededFuture();
    }

    @Override
    Future<MovedSlot> export(int slot, int limit) {
      MovedSlot kept = moved.get(slot);
      List<Future<MovedSlot>> all = new ArrayList<>();
      all.add(Future.succeededFuture(kept == null ? NOTHING : kept));
      former.values().forEach(one -> all.add(one.export(slot, limit).otherwise(NOTHING)));
      return Future.all(all)
          .map(_ ->
              // Without positions the next owner delivers all its objects: here nothing is received
              // now.
              new MovedSlot(
                  all.stream().flatMap(one -> one.result().items().stream()).limit(limit).toList(),
                  List.of(),
                  Map.of(),
                  all.stream().flatMap(one -> one.result().history().stream()).toList()));
    }

    @Override
    void drop(Collection<Integer> which) {
      moved.keySet().removeAll(which);
    }
  }

  RebuildState(ControllerSetup setup, Context context) {
    this.setup = setup;
    this.context = context;
  }

  /**
   * Keeps the caches until {@link #settled}, and the requests of a run until they have been passed on.
   *
   * @param leaving the run that ends; null for none
   * @param deployed its slots
   */
  void begin(@Nullable ControllerHandle leaving, DeployedSlots deployed, Duration drainLimit) {
    if (heldCaches == null) {
      Runnable release = setup.holdCaches();
      heldCaches = release;
      // While caches are held, no cache of this process is closed. A definition that never returns
      // must not keep those of all others.
      long limit = Durations.toMillis(Durations.clamp(drainLimit).multipliedBy(2).plus(SPARE));
      timer = setup.host().setTimer(limit, _ -> context.runOnContext(_ -> release.run()));
    }
    keep(leaving, deployed);
  }

  /**
   * Keeps the requests of a run that ends until they have been passed on. One that has not synced has
   * some as well: of a callback, of an operator, and of the run before it.
   */
  void keep(@Nullable ControllerHandle leaving, DeployedSlots deployed) {
    if (leaving != null) {
      former.put(leaving, deployed);
    }
  }

  /** Returns the slots while it is not deployed. */
  DeployedSlots slots() {
    return slots;
  }

  /** Gives a run what has come with its open slots while none was there. */
  void openMoved(DeployedSlots begun, Collection<SlotTerm> open) {
    for (SlotTerm term : open) {
      MovedSlot state = slots.moved.remove(term.slot());
      if (state != null) {
        begun.openMoved(term, state);
      }
    }
  }

  /**
   * Passes the requests of the former runs to a run whose slots are open, and which attempts nothing before
   * it has them.
   *
   * @param present whether that run is still the present one; the next one receives them otherwise
   */
  void passTo(ControllerHandle running, BooleanSupplier present) {
    List<Future<Void>> all = new ArrayList<>();
    for (ControllerHandle one : List.copyOf(former.keySet())) {
      Promise<Void> done = Promise.promise();
      all.add(done.future());
      LeftRequests.pass(one, running, setup.clock())
          .onComplete(_ ->
              context.runOnContext(_ -> {
                if (present.getAsBoolean()) {
                  former.remove(one);
                }
                done.complete();
              }));
    }
    passed = Future.join(all);
  }

  /** Returns whether there are requests for the next run. */
  boolean isPending() {
    return !former.isEmpty();
  }

  /** Completes when the present run has the requests of the former ones. */
  Future<?> passed() {
    return passed;
  }

  /** The next run does not need them: it lists its objects, or there is none. */
  void forgetRequests() {
    former.clear();
    slots.moved.clear();
  }

  /** It has been built again, or waits for its next try. */
  void settled() {
    Runnable held = heldCaches;
    if (held != null) {
      heldCaches = null;
      setup.host().cancelTimer(timer);
      held.run();
    }
  }
}
