// SPDX-License-Identifier: Apache-2.0
/**
 * Scheduled tasks: a controller based on {@code Result.requeueAfter}.
 *
 * <p>Called by the host; the reconciler runs on virtual threads.
 */
@NullMarked
package dev.coxswain.examples.cron;

import org.jspecify.annotations.NullMarked;
