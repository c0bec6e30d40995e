// SPDX-License-Identifier: Apache-2.0
/**
 * The budget of one replica: held tokens, the floor, the queue of waiters, the limits in force, and
 * the behaviour while the pool is unreachable.
 *
 * <p>{@link dev.coxswain.limiter.internal.budget.PoolClient} tracks the calls to the pool.
 *
 * <p>Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.limiter.internal.budget;

import org.jspecify.annotations.NullMarked;
