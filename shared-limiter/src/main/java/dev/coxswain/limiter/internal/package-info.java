// SPDX-License-Identifier: Apache-2.0
/**
 * The shared limiter: one retry budget for all replicas of a host, kept in embedded Hazelcast
 * members.
 *
 * <p>In any window of length T at most {@code burst + rate x T} retries start on all replicas
 * together. This holds through crashes, freezes, migrations and network partitions. The assumptions
 * and the limits of this guarantee are in {@code docs/adr/0007-shared-limiter.md}.
 *
 * <p>This package has the configuration, the status, and {@link dev.coxswain.limiter.internal.ReplicaView},
 * the port to the state of the replicas. {@link dev.coxswain.limiter.internal.member.LimiterMember} runs the
 * limiter.
 */
@NullMarked
package dev.coxswain.limiter.internal;

import org.jspecify.annotations.NullMarked;
