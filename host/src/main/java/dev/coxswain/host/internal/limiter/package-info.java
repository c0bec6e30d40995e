// SPDX-License-Identifier: Apache-2.0
/**
 * The retry budgets of a host: of this process, or shared by all replicas, each of which holds a
 * replica Lease and runs a Hazelcast member.
 *
 * <p>Called by the composition root. Nothing here prevents a host from starting: without its member
 * a replica uses its floor, without a Lease it starts no retries; both are reported.
 */
@NullMarked
package dev.coxswain.host.internal.limiter;

import org.jspecify.annotations.NullMarked;
