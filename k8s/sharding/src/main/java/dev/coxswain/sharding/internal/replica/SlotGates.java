// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import dev.coxswain.sharding.internal.membership.ReplicaMembership;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.MovedSlot;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out what is decided about slots: loads their objects, opens and closes them in the
 * controllers, and ends their terms. A slot is opened in the controllers when its objects are
 * loaded.
 *
 * <p>Thread rule: confined to the thread of the slots; what completes elsewhere comes back through
 * {@code later}.
 */
final class SlotGates {

  private static final Logger LOG = LoggerFactory.getLogger(SlotGates.class);

  private static final long PATIENCE = Duration.ofSeconds(10).toNanos();

  private final ShardedControllers users;
  private SlotLoader loader = SlotLoader.NONE;
  private final ReplicaMembership membership;
  private final Clock clock;
  private final Consumer<Runnable> later;

  private final Map<Integer, OwnedTerm> terms = new HashMap<>();
  private final Map<Integer, Future<Void>> closing = new HashMap<>();

  /** The load of each slot, under way or done; a released slot has none. */
  private final Map<Integer, Load> loads = new HashMap<>();

  /** Whether slots may be opened: each controller may run under the present identity. */
  private boolean opens = true;

  /** The slots to open when they are loaded. */
  private final Map<Integer, Opening> waiting = new TreeMap<>();

  // Collected during a step, passed on together.
  private final Set<Integer> toLoad = new TreeSet<>();
  private final Set<Integer> toHold = new TreeSet<>();
  private final Set<Integer> toDrop = new TreeSet<>();

  /** A slot that is to be opened. */
  private record Opening(OwnedTerm term, @Nullable Future<Map<String, MovedSlot>> moved) {
    boolean isWaiting() {
      return moved != null && !moved.isComplete();
    }
  }

  private static final class Load {
    private final long begun;

    /** Whether the caches hold the objects. */
    private boolean done;

    /** Whether the controllers have all that they need to start the requests. */
    private boolean ready;

    Load(long begun) {
      this.begun = begun;
    }
  }

  SlotGates(
      ShardedControllers users,
      ReplicaMembership membership,
      Clock clock,
      Consumer<Runnable> later) {
    this.users = users;
    this.membership = membership;
    this.clock = clock;
    this.later = later;
  }

  /** Sets what loads the objects of slots; before the first slot is opened. */
  void loadBy(SlotLoader slotLoader) {
    loader = slotLoader;
  }

  /**
   * Opens a slot; one that is reopened under the same epoch continues its term.
   *
   * @param epoch the epoch in the slot map
   * @param version the resource version of that map
   * @param moved what the former owner has handed over, or null for a slot that was not
   */
  void open(
      int slot,
      long epoch,
      long version,
      String identity,
      @Nullable Future<Map<String, MovedSlot>> moved) {
    OwnedTerm term = terms.get(slot);
    if (term == null || term.slotEpoch() != epoch) {
      end(slot);
      term = new OwnedTerm(slot, epoch, version, identity, membership);
      terms.put(slot, term);
    }
    closing.remove(slot);
    load(slot);
    waiting.put(slot, new Opening(term, moved));
    if (moved != null) {
      moved.onComplete(_ -> later.accept(() -> {}));
    }
  }

  /** Keeps the requests of a slot that another replica is about to hand over, and loads it. */
  void incoming(int slot) {
    end(slot);
    closing.remove(slot);
    waiting.remove(slot);
    toHold.add(slot);
    load(slot);
  }

  /** Starts no more attempts of a slot; running ones go on. */
  void close(int slot) {
    waiting.remove(slot);
    OwnedTerm term = terms.get(slot);
    if (term != null) {
      log("closing slot", term);
    }
    closing.put(slot, users.close(slot).onComplete(_ -> later.accept(() -> {})));
  }

  /** Ends the term of a slot for good, cancels its attempts and drops its requests. */
  void revoke(int slot) {
    end(slot);
    closing.remove(slot);
    waiting.remove(slot);
    toHold.remove(slot);
    toLoad.remove(slot);
    toDrop.add(slot);
  }

  private void end(int slot) {
    OwnedTerm term = terms.remove(slot);
    if (term != null) {
      term.end();
    }
  }

  /** Closes every slot that is open. */
  void closeAll() {
    Set<Integer> open = new TreeSet<>(terms.keySet());
    open.removeAll(closing.keySet());
    open.forEach(this::close);
  }

  /** Cancels the attempts of all slots. */
  void cancelAll() {
    users.cancel(List.copyOf(terms.keySet()));
  }

  /** Passes on what the step has decided. */
  void flush() {
    if (!toDrop.isEmpty()) {
      List<Integer> dropped = List.copyOf(toDrop);
      toDrop.clear();
      users.cancel(dropped);
      users.drop(dropped);
      List<Integer> gone = new ArrayList<>(dropped);
      gone.removeAll(toLoad);
      gone.forEach(loads::remove);
      loader.release(gone);
    }
    Future<Void> held = null;
    if (!toHold.isEmpty()) {
      held = users.hold(List.copyOf(toHold));
      toHold.clear();
    }
    if (!toLoad.isEmpty()) {
      List<Integer> slots = List.copyOf(toLoad);
      toLoad.clear();
      Map<Integer, Load> begun = new HashMap<>();
      for (int slot : slots) {
        Load load = new Load(clock.nanos());
        loads.put(slot, load);
        begun.put(slot, load);
      }
      begin(begun);
      if (held != null) {
        held.onSuccess(_ -> later.accept(() -> begun.values().forEach(load -> load.ready = true)));
      }
    }
    openLoaded();
  }

  /**
   * Loads slots. The load of all fails when one of them is released before; then those that are
   * still wanted are loaded again.
   */
  private void begin(Map<Integer, Load> begun) {
    loader
        .keep(begun.keySet())
        .onSuccess(_ -> later.accept(() -> begun.values().forEach(load -> load.done = true)))
        .onFailure(_ ->
            later.accept(() -> {
              begun.entrySet().removeIf(entry -> loads.get(entry.getKey()) != entry.getValue());
              if (!begun.isEmpty()) {
                begin(begun);
              }
            }));
  }

  private void load(int slot) {
    if (!loads.containsKey(slot) || toDrop.contains(slot)) {
      toLoad.add(slot);
    }
  }

  /** Sets whether slots may be opened in the controllers; those that are open stay so. */
  void mayOpen(boolean may) {
    opens = may;
  }

  private void openLoaded() {
    if (!opens) {
      return;
    }
    List<OwnedTerm> ready = new ArrayList<>();
    for (Opening opening : List.copyOf(waiting.values())) {
      int slot = opening.term().slot();
      Load load = loads.get(slot);
      if (load == null || !load.done || opening.isWaiting()) {
        continue;
      }
      waiting.remove(slot);
      Future<Map<String, MovedSlot>> moved = opening.moved();
      if (moved == null || moved.result().isEmpty()) {
        ready.add(opening.term());
      } else {
        users
            .openMoved(opening.term(), moved.result())
            .onSuccess(_ -> log("opened slot", opening.term()));
      }
    }
    if (!ready.isEmpty()) {
      users.open(ready).onSuccess(_ -> ready.forEach(term -> log("opened slot", term)));
    }
  }

  /** Logs with the monotonic clock, so that processes of one machine can be compared. */
  private void log(String what, OwnedTerm term) {
    LOG.atDebug()
        .addKeyValue("slot", term.slot())
        .addKeyValue("epoch", term.slotEpoch())
        .addKeyValue("nanos", clock.nanos())
        .log(what);
  }

  /** Returns whether attempts of a closed slot are still running. */
  boolean isRunning(int slot) {
    Future<Void> closed = closing.get(slot);
    return closed == null ? terms.containsKey(slot) : !closed.isComplete();
  }

  /** Returns whether a slot is to be opened when its objects have been loaded. */
  boolean isWaiting() {
    return !waiting.isEmpty();
  }

  /** Returns the slots that wait for their objects for longer than a while. */
  Set<Integer> stuck() {
    Set<Integer> late = new TreeSet<>();
    for (int slot : waiting.keySet()) {
      Load load = loads.get(slot);
      if (load != null && !load.done && clock.nanos() - load.begun > PATIENCE) {
        late.add(slot);
      }
    }
    return late;
  }

  /** Returns whether attempts of any closed slot are still running. */
  boolean isAnyRunning() {
    return closing.values().stream().anyMatch(closed -> !closed.isComplete());
  }

  /** Returns those of some incoming slots that could be opened at once. */
  Set<Integer> ready(Collection<Integer> slots) {
    Set<Integer> done = new HashSet<>();
    for (int slot : slots) {
      Load load = loads.get(slot);
      if (load != null && load.done && load.ready) {
        done.add(slot);
      }
    }
    return done;
  }
}
