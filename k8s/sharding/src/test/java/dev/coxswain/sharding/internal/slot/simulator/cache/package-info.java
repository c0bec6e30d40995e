// SPDX-License-Identifier: Apache-2.0
/**
 * The cache of a simulated replica, whose watches are selected by the server: the selection, the slots and the loads are those
 * of production, the store and the server are models. The replica of the simulator decides which slots it keeps.
 */
@NullMarked
package dev.coxswain.sharding.internal.slot.simulator.cache;

import org.jspecify.annotations.NullMarked;
