// SPDX-License-Identifier: Apache-2.0
/**
 * Leader election by a Lease: {@link dev.coxswain.k8s.lease.LeaderElection} holds the Lease while
 * it can renew it and stops leading in time when it cannot. It must be stopped so that the Lease is
 * released.
 */
@NullMarked
package dev.coxswain.k8s.lease;

import org.jspecify.annotations.NullMarked;
