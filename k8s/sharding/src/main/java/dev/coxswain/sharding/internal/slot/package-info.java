// SPDX-License-Identifier: Apache-2.0
/**
 * Slots: shares of the key space, each owned by one replica at a time. This package has the rules
 * as pure functions, without threads, requests or clocks; {@code internal.replica} reads and writes the API
 * server and passes the time.
 *
 * <p>{@link dev.coxswain.sharding.internal.slot.SlotFunction} gives the slot of a key and {@link
 * dev.coxswain.sharding.internal.slot.SlotMap} the owner of a slot. The map is stored in one ConfigMap, in the
 * form of {@link dev.coxswain.sharding.internal.slot.SlotMapFormat}, and replaced only at exactly the version and
 * the uid that were read.
 *
 * <p>Each replica plans, in the order of {@link dev.coxswain.sharding.internal.slot.SlotReplicas#rank}:
 *
 * <pre>{@code
 * observed = observed.read(stored, now);                               // first the map,
 * observed = observed.listed(list, stored.map().replicas(), times, gap); // then the Leases
 * SlotPlanner.Plan plan = planner.plan(stored, list, observed, now);
 * if (!plan.changes().isEmpty()) {
 *   put(stored, SlotMapFormat.encode(stored.map().with(plan.changes())));
 * }
 * }</pre>
 *
 * <p>Each replica steps its own slots after every change, and when a time has passed:
 *
 * <pre>{@code
 * ReplicaSlots.Step step = slots.step(context, times, moves, now);
 * slots = step.next();
 * for (SlotAction action : step.actions()) {
 *   switch (action) {
 *     case SlotAction.Open open -> gates.open(open.slot(), open.epoch());
 *     case SlotAction.Store store -> put(store.before(), store.change());
 *     ...
 *   }
 * }
 * }</pre>
 *
 * <p>{@link dev.coxswain.sharding.internal.slot.ReplicaSlots} has the invariants.
 */
@NullMarked
package dev.coxswain.sharding.internal.slot;

import org.jspecify.annotations.NullMarked;
