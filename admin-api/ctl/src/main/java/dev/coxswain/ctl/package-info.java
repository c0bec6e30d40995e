// SPDX-License-Identifier: Apache-2.0
/**
 * The command line of the admin API: {@code coxswain ctl}, and {@code kubectl coxswain}. {@link
 * dev.coxswain.ctl.Ctl} is the entry point; {@code commands} uses {@code context},
 * {@code client} and {@code print}, and all of them use {@code cli}.
 *
 * <p>A process runs one command, so start time matters: Vert.x is not loaded. Thread rule: the main
 * thread; blocking is allowed.
 */
@NullMarked
package dev.coxswain.ctl;

import org.jspecify.annotations.NullMarked;
