// SPDX-License-Identifier: Apache-2.0
/**
 * Pods that run at set times: a controller based on {@code Result.requeueAfter}, with webhooks.
 *
 * <p>Called by the host; the reconciler runs on virtual threads.
 */
@NullMarked
package dev.coxswain.examples.cron;

import org.jspecify.annotations.NullMarked;
