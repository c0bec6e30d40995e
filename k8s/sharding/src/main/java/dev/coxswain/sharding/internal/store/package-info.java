// SPDX-License-Identifier: Apache-2.0
/** The ConfigMaps of the slots: the map, and the state that moves with them. */
@NullMarked
package dev.coxswain.sharding.internal.store;

import org.jspecify.annotations.NullMarked;
