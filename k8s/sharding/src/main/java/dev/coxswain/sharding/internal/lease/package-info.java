// SPDX-License-Identifier: Apache-2.0
/**
 * Reading, writing and observing Lease objects, for elections and memberships.
 *
 * <p>Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.sharding.internal.lease;

import org.jspecify.annotations.NullMarked;
