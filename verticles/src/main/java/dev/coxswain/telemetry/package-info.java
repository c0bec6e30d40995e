// SPDX-License-Identifier: Apache-2.0
/**
 * What a controller tells about its work while it works. The host binds this to its metrics; the
 * engine knows nothing of them. What can be asked for at any time (depths, phases) is not here but
 * in {@link dev.coxswain.queue.QueueSnapshot}.
 */
@NullMarked
package dev.coxswain.telemetry;

import org.jspecify.annotations.NullMarked;
