// SPDX-License-Identifier: Apache-2.0
/**
 * The membership of this replica: {@link dev.coxswain.host.membership.ReplicaMembership} holds its
 * Lease and decides until when it may act.
 */
@NullMarked
package dev.coxswain.host.membership;

import org.jspecify.annotations.NullMarked;
