// SPDX-License-Identifier: Apache-2.0
/**
 * One retry budget for all replicas of a host, kept in an embedded Hazelcast member.
 *
 * <p>The promise: in any window of length T at most {@code burst + rate x T} retries start, over
 * all replicas together, whatever crashes, freezes, migrates or splits. {@link
 * dev.coxswain.limiter.LimiterMember} is the way in; {@link dev.coxswain.limiter.ReplicaView} is
 * what it must be told of the other replicas. What is assumed and what is not promised stands in
 * {@code docs/adr/0007-shared-limiter.md}.
 *
 * <p>Nothing here blocks an event loop: starting, stopping and every call to Hazelcast happen on
 * threads of this package.
 */
@NullMarked
package dev.coxswain.limiter;

import org.jspecify.annotations.NullMarked;
