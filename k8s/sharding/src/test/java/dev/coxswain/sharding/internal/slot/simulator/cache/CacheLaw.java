// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator.cache;

import dev.coxswain.k8s.internal.slots.SlotFilter;
import dev.coxswain.k8s.internal.slots.SlotSet;
import dev.coxswain.reconcile.Request;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The law of a cache: every object of a slot that it holds is in it, as of the version that it claims or later, or the slot is
 * not open.
 */
final class CacheLaw {

  private static final int ENOUGH = 5;

  private final SimulatedObjects objects;
  private final SlotFilter filter;
  private final SlotSet kept;
  private final List<String> violations = new ArrayList<>();
  private int checks;

  CacheLaw(SimulatedObjects objects, SlotFilter filter, SlotSet kept) {
    this.objects = objects;
    this.filter = filter;
    this.kept = kept;
  }

  /**
   * Checks it.
   *
   * @param position the version that the cache claims; empty when it claims none
   */
  void check(long now, String position, Map<Request, SimulatedCache.State> store) {
    if (position.isEmpty()) {
      return;
    }
    checks++;
    long at = Long.parseLong(position);
    for (Request object : objects.all()) {
      int slot = kept.slotOf(object);
      if (violations.size() < ENOUGH && kept.now().get(slot) && filter.holds(only(slot))) {
        check(now, at, object, store.get(object));
      }
    }
  }

  private static BitSet only(int slot) {
    BitSet set = new BitSet();
    set.set(slot);
    return set;
  }

  private void check(long now, long at, Request object, SimulatedCache.@Nullable State state) {
    SimulatedObjects.Change last = objects.at(object, at);
    if (last == null || (state != null && state.version() >= last.version())) {
      return;
    }
    boolean absent = state == null || !state.exists();
    boolean lawful = absent && (!last.exists() || objects.isDeletedAfter(object, at));
    if (!lawful) {
      violations.add(
          "%d ms: %s is %s at version %d, in the cache it is %s"
              .formatted(now, object, last, at, state == null ? "absent" : state));
    }
  }

  List<String> violations() {
    return violations;
  }

  int checks() {
    return checks;
  }
}
