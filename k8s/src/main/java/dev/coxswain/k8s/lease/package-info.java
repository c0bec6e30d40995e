// SPDX-License-Identifier: Apache-2.0
/**
 * What replicas agree on by Leases. {@link dev.coxswain.k8s.lease.LeaderElection} lets one of them
 * lead: it holds a Lease while it can and gives up in time when it cannot. {@link
 * dev.coxswain.k8s.lease.Seats} gives each of them a number of its own and shows who is there.
 *
 * <p>The host uses both; they must be stopped so that the Leases are given back.
 */
@NullMarked
package dev.coxswain.k8s.lease;

import org.jspecify.annotations.NullMarked;
