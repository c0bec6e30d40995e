// SPDX-License-Identifier: Apache-2.0
/**
 * The shared limiter: one retry budget for all replicas of a host, kept in embedded Hazelcast
 * members.
 *
 * <p>The promise: in any window of length T at most {@code burst + rate x T} retries start, over
 * all replicas together, whatever crashes, freezes, migrates or splits. The assumptions and what is
 * not promised are in {@code docs/adr/0007-shared-limiter.md}.
 *
 * <p>This package has its values: what is configured, what is reported, and {@link
 * dev.coxswain.limiter.ReplicaView}, the view of the live replicas that it needs. {@link
 * dev.coxswain.limiter.member.LimiterMember} runs it.
 */
@NullMarked
package dev.coxswain.limiter;

import org.jspecify.annotations.NullMarked;
