// SPDX-License-Identifier: Apache-2.0
/**
 * One ownership of each controller among all replicas: {@link
 * dev.coxswain.sharding.internal.ownership.OwnershipRules} compares what the replicas publish in their Leases. The
 * slots call it after each step of the membership; the controllers start what it admits.
 */
@NullMarked
package dev.coxswain.sharding.internal.ownership;

import org.jspecify.annotations.NullMarked;
