// SPDX-License-Identifier: Apache-2.0
/**
 * The budget of one replica: tokens held, the replica's floor, the line of waiting queues, the
 * limits in force, and what happens while the cluster does not answer.
 *
 * <p>{@link dev.coxswain.limiter.internal.budget.PoolClient} is the only way to the cluster.
 *
 * <p>Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.limiter.internal.budget;

import org.jspecify.annotations.NullMarked;
