// SPDX-License-Identifier: Apache-2.0
/**
 * What {@code coxswain dev} runs on one machine: an API server in memory, the example objects, and
 * replicas of the host as real processes; and the same in one process, as the training run of
 * {@code coxswain warm-up}.
 *
 * <p>Called by the command line on the main thread, where blocking is fine; stopped by the shutdown
 * hook. Whatever is started here must end with this process, also when that is killed.
 */
@NullMarked
package dev.coxswain.host.dev;

import org.jspecify.annotations.NullMarked;
