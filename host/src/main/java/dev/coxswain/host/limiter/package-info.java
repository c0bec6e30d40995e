// SPDX-License-Identifier: Apache-2.0
/**
 * The retry budgets of a host: of this process alone, or shared by all replicas, which then hold
 * seats at the API server and run a Hazelcast member each.
 *
 * <p>Called by the composition root. Nothing here keeps a host from starting: without its member a
 * replica runs on the floor of its seat, and without a seat it starts no retries, and both is
 * shown.
 */
@NullMarked
package dev.coxswain.host.limiter;

import org.jspecify.annotations.NullMarked;
