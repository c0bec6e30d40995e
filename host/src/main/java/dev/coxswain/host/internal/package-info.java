// SPDX-License-Identifier: Apache-2.0
/**
 * The host: the process that runs controllers. {@link dev.coxswain.host.internal.cli.Main} reads the command
 * line, {@link dev.coxswain.host.internal.Host} is the composition root.
 *
 * <p>Started by {@code bin/coxswain}. The main thread starts the host and waits; the shutdown hook
 * stops it. Messages for users go to the standard error, one line each, without stack traces.
 */
@NullMarked
package dev.coxswain.host.internal;

import org.jspecify.annotations.NullMarked;
