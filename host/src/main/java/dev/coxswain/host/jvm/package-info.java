// SPDX-License-Identifier: Apache-2.0
/**
 * The JVM that a host runs in: how another one like this is started, and the start cache, a file in
 * which the JVM keeps what it has learned about the classes of a host.
 *
 * <p>Called by the command line and by what it starts, on threads that may block.
 */
@NullMarked
package dev.coxswain.host.jvm;

import org.jspecify.annotations.NullMarked;
