// SPDX-License-Identifier: Apache-2.0
/**
 * The commands of {@code coxswain} and their flags.
 *
 * <p>Called by {@link dev.coxswain.host.internal.cli.Main} on the main thread, which may block.
 */
@NullMarked
package dev.coxswain.host.internal.cli;

import org.jspecify.annotations.NullMarked;
