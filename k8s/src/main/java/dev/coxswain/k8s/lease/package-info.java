// SPDX-License-Identifier: Apache-2.0
/**
 * Lets one of several processes lead: {@link dev.coxswain.k8s.lease.LeaderElection} holds a Lease
 * while it can and gives up in time when it cannot. The host uses it for controllers that run on
 * one replica only; it must be stopped so that the Lease is given back.
 */
@NullMarked
package dev.coxswain.k8s.lease;

import org.jspecify.annotations.NullMarked;
