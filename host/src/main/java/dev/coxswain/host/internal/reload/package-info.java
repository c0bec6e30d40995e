// SPDX-License-Identifier: Apache-2.0
/**
 * Reload of the configuration while the host runs: the file is watched, a change is read and checked
 * as a whole, and what can change without a restart is changed.
 *
 * <p>Called by the composition root; files are read and parsed on worker threads.
 */
@NullMarked
package dev.coxswain.host.internal.reload;

import org.jspecify.annotations.NullMarked;
