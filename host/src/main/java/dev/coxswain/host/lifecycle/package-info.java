// SPDX-License-Identifier: Apache-2.0
/**
 * Starts what a host is made of, group by group, and stops it in reverse.
 *
 * <p>Called by the composition root. All state is confined to one Vert.x context; members may be
 * anything that starts and stops with futures. Nothing waits without a limit.
 */
@NullMarked
package dev.coxswain.host.lifecycle;

import org.jspecify.annotations.NullMarked;
