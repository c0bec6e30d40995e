// SPDX-License-Identifier: Apache-2.0
/**
 * The JVM of a host: command lines of further JVMs, and the start cache.
 *
 * <p>Called by commands, on threads that may block.
 */
@NullMarked
package dev.coxswain.host.internal.jvm;

import org.jspecify.annotations.NullMarked;
