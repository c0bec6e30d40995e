// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

import dev.coxswain.sharding.internal.slot.ReplicaSlots;
import dev.coxswain.sharding.internal.slot.SlotChange;
import dev.coxswain.sharding.internal.slot.SlotContext;
import dev.coxswain.sharding.internal.slot.SlotObservation;
import dev.coxswain.sharding.internal.slot.StoredSlotMap;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * One replica, with what it has sent. All times are relative to {@link Names#NOW}.
 *
 * @param slots its slots
 * @param lease its view of its own Lease
 * @param pending whether a request to acquire a Lease under this identity had no answer
 * @param leaving whether it is to leave
 * @param known the map as last read
 * @param observed what it has observed for planning
 * @param ages by ordinal, how long the version of a Lease in the last list has been observed; {@link
 *     #CHANGED} when the Lease has changed since
 * @param put the write of the map in flight; it fails when the map changes
 * @param attempts by slot
 * @param writes by slot, the last write without an answer that may still have an effect
 * @param silent whether it may omit to renew, read and list
 */
record ModelReplica(
    ReplicaSlots slots,
    SlotContext.Lease lease,
    boolean pending,
    boolean leaving,
    Optional<StoredSlotMap> known,
    SlotObservation observed,
    List<Integer> ages,
    Optional<Put> put,
    List<Attempt> attempts,
    List<Write> writes,
    boolean silent) {

  static final int CHANGED = -1;

  /**
   * A write of the map.
   *
   * @param confirms whether it was sent after the uid of the map was in the Lease
   */
  record Put(List<SlotChange> changes, boolean confirms) {}

  /** An attempt; {@code open} is false when its guard is closed for good. */
  record Attempt(String identity, long epoch, boolean open) {
    static final Attempt NONE = new Attempt("", -1, false);
  }

  /** A write of an object. */
  record Write(long epoch, int age) {
    static final Write NONE = new Write(0, Integer.MAX_VALUE);
  }

  static ModelReplica initial(SearchOptions options, int ordinal) {
    return new ModelReplica(
        ReplicaSlots.NONE,
        new SlotContext.Lease(Names.present(ordinal), false, Names.NOW, "", Names.NOW),
        false,
        false,
        Optional.empty(),
        SlotObservation.NONE,
        Collections.nCopies(options.replicas(), CHANGED),
        Optional.empty(),
        Collections.nCopies(options.slots(), Attempt.NONE),
        Collections.nCopies(options.slots(), Write.NONE),
        options.asynchronous());
  }

  /** Returns the next process of this replica: requests in flight stay, all else is gone. */
  ModelReplica restarted(SearchOptions options, int ordinal) {
    ModelReplica next = initial(options, ordinal);
    return new ModelReplica(
        next.slots,
        next.lease,
        false,
        false,
        next.known,
        next.observed,
        next.ages,
        put,
        next.attempts,
        writes,
        silent);
  }

  ModelReplica with(ReplicaSlots next) {
    return new ModelReplica(
        next, lease, pending, leaving, known, observed, ages, put, attempts, writes, silent);
  }

  ModelReplica with(SlotContext.Lease next, boolean nowPending) {
    return new ModelReplica(
        slots, next, nowPending, leaving, known, observed, ages, put, attempts, writes, silent);
  }

  ModelReplica toLeave() {
    return new ModelReplica(
        slots, lease, pending, true, known, observed, ages, put, attempts, writes, silent);
  }

  ModelReplica with(StoredSlotMap read, SlotObservation next) {
    return new ModelReplica(
        slots,
        lease,
        pending,
        leaving,
        Optional.of(read),
        next,
        ages,
        put,
        attempts,
        writes,
        silent);
  }

  ModelReplica with(SlotObservation next, List<Integer> nextAges) {
    return new ModelReplica(
        slots, lease, pending, leaving, known, next, nextAges, put, attempts, writes, silent);
  }

  ModelReplica with(Optional<Put> next) {
    return new ModelReplica(
        slots, lease, pending, leaving, known, observed, ages, next, attempts, writes, silent);
  }

  ModelReplica with(int slot, Attempt attempt) {
    return new ModelReplica(
        slots,
        lease,
        pending,
        leaving,
        known,
        observed,
        ages,
        put,
        Names.replaced(attempts, slot, attempt),
        writes,
        silent);
  }

  ModelReplica with(int slot, Write write) {
    return new ModelReplica(
        slots,
        lease,
        pending,
        leaving,
        known,
        observed,
        ages,
        put,
        attempts,
        Names.replaced(writes, slot, write),
        silent);
  }

  ModelReplica silent(boolean next) {
    return new ModelReplica(
        slots, lease, pending, leaving, known, observed, ages, put, attempts, writes, next);
  }
}
