// SPDX-License-Identifier: Apache-2.0
/**
 * One Lease for each replica: {@link dev.coxswain.sharding.internal.membership.ReplicaLeases} holds the Lease of
 * this replica, with an ordinal that no other live replica has, and shows which replicas are live.
 * It must be stopped so that the Lease is released.
 */
@NullMarked
package dev.coxswain.sharding.internal.membership;

import org.jspecify.annotations.NullMarked;
