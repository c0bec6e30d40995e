// SPDX-License-Identifier: Apache-2.0
/**
 * The virtual threads on which user code runs, for a watchdog of the process: those of attempts,
 * sources and webhooks. The threads that a replica lives by are not among them.
 */
@NullMarked
package dev.coxswain.internal.thread;

import org.jspecify.annotations.NullMarked;
