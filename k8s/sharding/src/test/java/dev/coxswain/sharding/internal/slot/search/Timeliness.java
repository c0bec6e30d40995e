// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

import dev.coxswain.sharding.internal.slot.ReplicaPhase;
import dev.coxswain.sharding.internal.slot.SlotEntry;

/** What a replica without a fault does in each unit of time: it renews, reads and lists. */
final class Timeliness {

  private final long deadline;

  Timeliness(SearchOptions options) {
    this.deadline = new Planning(options).deadline();
  }

  /** Returns whether the replica has done all that is due in this unit of time. */
  boolean isComplete(ModelReplica r, ModelServer s, int i) {
    if (r.slots().phase() == ReplicaPhase.ENDED) {
      return r.put().isEmpty() && !s.leases().get(i).holder().equals(Names.present(i));
    }
    if (!r.lease().held()) {
      return true;
    }
    return r.put().isEmpty()
        && r.lease().writeDeadline() == deadline
        && r.observed().listed() == Names.NOW
        && r.lease().announced().equals(r.slots().announced())
        && hasRead(r, s, Names.present(i));
  }

  /** Whether the replica has read each slot that names it, or did. */
  private static boolean hasRead(ModelReplica r, ModelServer s, String name) {
    if (s.map().isEmpty() || r.known().isEmpty()) {
      return s.map().isEmpty();
    }
    boolean same = r.known().get().uid().equals(s.uid());
    for (int slot = 0; slot < s.map().get().slots(); slot++) {
      SlotEntry stored = s.map().get().entry(slot);
      SlotEntry known = r.known().get().map().entry(slot);
      boolean named =
          stored.owner().equals(name)
              || stored.target().equals(name)
              || known.owner().equals(name)
              || known.target().equals(name);
      same &= !named || stored.equals(known);
    }
    return same;
  }
}
