// SPDX-License-Identifier: Apache-2.0
/**
 * Sets up logback in code: one line per event, as text for people or as JSON for machines, with the
 * keys of controller-runtime.
 *
 * <p>Called once by the command line on the main thread before anything logs; the encoders run on
 * the threads that log.
 */
@NullMarked
package dev.coxswain.host.internal.logging;

import org.jspecify.annotations.NullMarked;
