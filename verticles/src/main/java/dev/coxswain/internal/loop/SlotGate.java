// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import dev.coxswain.internal.queue.Item;
import dev.coxswain.internal.queue.QueueActions;
import dev.coxswain.internal.queue.StartGate;
import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.spi.SlotTerm;
import dev.coxswain.spi.Slots;
import io.vertx.core.Promise;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The slots of a controller that not every replica runs: which requests are accepted, and which of them are started.
 *
 * <p>A request of a closed slot is dropped. One of a held slot is accepted and not started: at its
 * turn it is set aside until the slot is open. An attempt belongs to the term in which it was
 * started, also after the slot has got another one.
 *
 * <p>Thread rule: confined to the controller's event loop, except {@link #slotOf} and {@link
 * #mayStart}.
 */
public final class SlotGate<K> implements StartGate<K> {

  private enum State {
    CLOSED,
    HELD,
    OPEN
  }

  private final Slots slots;
  private final RequestFormat<K> format;
  private final boolean sharded;
  private final State[] states;
  private final @Nullable SlotTerm[] terms;
  private final int[] running;
  private final Map<Integer, Map<K, Item<K>>> aside = new HashMap<>();
  private final Map<Integer, Promise<Void>> closing = new HashMap<>();

  /** The slots whose sources hold objects that were delivered in vain, or not at all. */
  private final BitSet undelivered;

  private long dropped;

  /**
   * Creates a gate whose slots are all closed.
   *
   * @param sharded whether several replicas own requests of the controller at a time
   */
  public SlotGate(Slots slots, RequestFormat<K> format, boolean sharded) {
    this.slots = slots;
    this.format = format;
    this.sharded = sharded;
    this.states = new State[slots.count()];
    this.terms = new SlotTerm[slots.count()];
    this.running = new int[slots.count()];
    this.undelivered = new BitSet(slots.count());
    Arrays.fill(states, State.CLOSED);
  }

  /** Returns the slots; any thread. */
  Slots slots() {
    return slots;
  }

  /** Returns whether several replicas own requests of the controller at a time. */
  boolean isSharded() {
    return sharded;
  }

  /** Returns the slot of a request. */
  public int slotOf(K request) {
    return slots.slotOf(format.namespace(request), format.name(request));
  }

  /** Returns whether any attempt may be started now. */
  public boolean mayStart() {
    return slots.mayStart();
  }

  /**
   * Returns whether a new request is accepted; counts one that is not. What a held slot acquires is
   * delivered when it opens, unless that has begun.
   */
  boolean accepts(K request, Trigger trigger) {
    int slot = slotOf(request);
    State state = states[slot];
    if (state == State.CLOSED) {
      dropped++;
      undelivered.set(slot);
    }
    return state == State.OPEN
        || (state == State.HELD && (trigger != Trigger.ACQUIRED || !undelivered.get(slot)));
  }

  /** Returns whether the slot of a request is open. */
  boolean isOpen(K request) {
    return states[slotOf(request)] == State.OPEN;
  }

  /** Returns what was set aside in a slot. */
  public List<Item<K>> aside(int slot) {
    return List.copyOf(aside.getOrDefault(slot, Map.of()).values());
  }

  /** Returns how many requests of closed slots were dropped. */
  long dropped() {
    return dropped;
  }

  @Override
  public boolean passes(Item<K> item) {
    return isOpen(item.key());
  }

  @Override
  public void tookOut(Item<K> item) {
    int slot = slotOf(item.key());
    if (states[slot] == State.HELD) {
      aside
          .computeIfAbsent(slot, _ -> new LinkedHashMap<>())
          .merge(item.key(), item, QueueActions::mergeApart);
    }
  }

  /** Counts the start of an attempt and returns the term of its slot. */
  SlotTerm started(K request) {
    int slot = slotOf(request);
    running[slot]++;
    SlotTerm term = terms[slot];
    if (term == null) {
      throw new IllegalStateException(
          "an attempt was started in slot " + slot + ", which is closed");
    }
    return term;
  }

  /** Counts the end of an attempt. */
  void ended(SlotTerm term) {
    int slot = term.slot();
    if (--running[slot] == 0) {
      Promise<Void> waiter = closing.remove(slot);
      if (waiter != null) {
        waiter.complete();
      }
    }
  }

  /** Accepts the requests of closed slots without starting them. */
  public void hold(Collection<Integer> which) {
    for (int slot : which) {
      if (states[slot] == State.CLOSED) {
        states[slot] = State.HELD;
        undelivered.set(slot);
      }
    }
  }

  /**
   * Opens slots and puts back what was set aside. Returns a test for the requests of those whose
   * objects must be delivered, if any: not of a slot that has received all, as one whose sources
   * began when it was open, or one that was held for a while and not dropped.
   */
  public Optional<Predicate<K>> open(Collection<? extends SlotTerm> begun, QueueActions<K> queue) {
    BitSet opened = new BitSet(states.length);
    for (SlotTerm term : begun) {
      int slot = term.slot();
      if (undelivered.get(slot)) {
        undelivered.clear(slot);
        opened.set(slot);
      }
      states[slot] = State.OPEN;
      terms[slot] = term;
      Map<K, Item<K>> items = aside.remove(slot);
      if (items != null) {
        items.values().forEach(queue::putIn);
      }
    }
    return opened.isEmpty()
        ? Optional.empty()
        : Optional.of(request -> opened.get(slotOf(request)));
  }

  /** Starts no more attempts of a slot; completes the waiter when none is running. */
  public void close(int slot, Promise<Void> waiter) {
    if (states[slot] == State.OPEN) {
      states[slot] = State.HELD;
    }
    if (running[slot] == 0) {
      waiter.complete();
    } else {
      Promise<Void> before = closing.put(slot, waiter);
      if (before != null) {
        waiter.future().onComplete(before);
      }
    }
  }

  /** Closes slots and forgets what was set aside; returns a test for what is still in the queue. */
  public Predicate<K> drop(Collection<Integer> which) {
    BitSet closed = new BitSet(states.length);
    for (int slot : which) {
      closed.set(slot);
      states[slot] = State.CLOSED;
      undelivered.set(slot);
      terms[slot] = null;
      aside.remove(slot);
    }
    // A slot that was opened again meanwhile keeps its requests.
    return request -> {
      int slot = slotOf(request);
      return closed.get(slot) && states[slot] == State.CLOSED;
    };
  }
}
