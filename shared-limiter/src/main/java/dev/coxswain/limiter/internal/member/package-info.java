// SPDX-License-Identifier: Apache-2.0
/**
 * Runs the limiter in a replica: {@link dev.coxswain.limiter.internal.member.LimiterMember} starts the
 * Hazelcast member, restarts it after failures, and provides one {@link
 * dev.coxswain.retry.RetryBudget} for each limiter.
 *
 * <p>Nothing here blocks an event loop: starting, stopping and every call to Hazelcast happen on
 * threads of this package.
 */
@NullMarked
package dev.coxswain.limiter.internal.member;

import org.jspecify.annotations.NullMarked;
