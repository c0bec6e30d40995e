// SPDX-License-Identifier: Apache-2.0
/**
 * The slots of this replica: {@link dev.coxswain.sharding.internal.membership.ReplicaMembership} holds its Lease,
 * {@link dev.coxswain.sharding.internal.replica.SlotComponent} follows the slot map, takes part in dividing the slots
 * and opens and closes them in the controllers. The rules are pure functions of {@link
 * dev.coxswain.sharding.internal.slot}; this package has the requests, the threads and the time.
 */
@NullMarked
package dev.coxswain.sharding.internal.replica;

import org.jspecify.annotations.NullMarked;
