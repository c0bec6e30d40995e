// SPDX-License-Identifier: Apache-2.0
/**
 * Development sessions: {@code coxswain dev} runs an embedded API server, example objects, and
 * replicas of the host as child processes; the training run of {@code coxswain warm-up} runs the
 * same in one process.
 *
 * <p>Called by the command line on the main thread, which may block; stopped by the shutdown hook.
 * All child processes end with this process, also when it is killed.
 */
@NullMarked
package dev.coxswain.host.internal.dev;

import org.jspecify.annotations.NullMarked;
