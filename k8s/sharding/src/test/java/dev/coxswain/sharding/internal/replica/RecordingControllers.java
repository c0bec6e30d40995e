// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import dev.coxswain.spi.MovedSlot;
import dev.coxswain.spi.SlotTerm;
import io.vertx.core.Future;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Controllers without attempts, which record their slots. */
final class RecordingControllers implements ShardedControllers {

  private final Map<Integer, Long> open = new HashMap<>();
  private final Map<Integer, Long> highest = new HashMap<>();
  private final Set<Integer> dropped = new TreeSet<>();
  private final Map<Integer, Map<String, MovedSlot>> moved = new HashMap<>();
  private String problem = "";
  private volatile @Nullable HostSlots slots;
  private volatile IntFunction<Map<String, MovedSlot>> exports = _ -> Map.of();

  /** What is handed over with a slot; called on the thread of the slots. */
  void exports(IntFunction<Map<String, MovedSlot>> state) {
    exports = state;
  }

  /** Returns what was handed over with each slot. */
  synchronized Map<Integer, Map<String, MovedSlot>> moved() {
    return Map.copyOf(moved);
  }

  /** Returns the division that the controllers use. */
  HostSlots slots() {
    return Objects.requireNonNull(slots, "not begun");
  }

  synchronized Set<Integer> open() {
    return new TreeSet<>(open.keySet());
  }

  synchronized Map<Integer, Long> epochs() {
    return Map.copyOf(open);
  }

  /** Returns the highest epoch in which a slot was open here; 0 for never. */
  synchronized long highest(int slot) {
    return highest.getOrDefault(slot, 0L);
  }

  synchronized Set<Integer> dropped() {
    return new TreeSet<>(dropped);
  }

  synchronized String problem() {
    return problem;
  }

  @Override
  public void begin(HostSlots begun) {
    slots = begun;
  }

  @Override
  public Future<Void> hold(Collection<Integer> slots) {
    return Future.succeededFuture();
  }

  @Override
  public synchronized Future<Void> open(Collection<? extends SlotTerm> terms) {
    terms.forEach(term -> {
      open.put(term.slot(), term.epoch());
      highest.merge(term.slot(), term.epoch(), Math::max);
    });
    return Future.succeededFuture();
  }

  @Override
  public synchronized Future<Void> openMoved(SlotTerm term, Map<String, MovedSlot> state) {
    moved.put(term.slot(), state);
    return open(Set.of(term));
  }

  @Override
  public Future<Map<String, MovedSlot>> export(int slot, int limit) {
    return Future.succeededFuture(exports.apply(slot));
  }

  @Override
  public synchronized Future<Void> close(int slot) {
    open.remove(slot);
    return Future.succeededFuture();
  }

  @Override
  public synchronized void drop(Collection<Integer> slots) {
    slots.forEach(open::remove);
    dropped.addAll(slots);
  }

  @Override
  public void cancel(Collection<Integer> slots) {}

  @Override
  public synchronized void problem(String reason) {
    problem = reason;
  }

  @Override
  public void refresh() {}
}
