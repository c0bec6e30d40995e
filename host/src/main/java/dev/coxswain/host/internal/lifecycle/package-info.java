// SPDX-License-Identifier: Apache-2.0
/**
 * The lifecycle of a host: components that start group by group and stop in reverse.
 *
 * <p>Called by the composition root. All state is confined to one Vert.x context; components start
 * and stop with futures. All waits have a limit.
 */
@NullMarked
package dev.coxswain.host.internal.lifecycle;

import org.jspecify.annotations.NullMarked;
