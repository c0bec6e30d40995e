// SPDX-License-Identifier: Apache-2.0
/**
 * {@code coxswain ctl}, also known as {@code kubectl coxswain}: the admin API on a command line.
 *
 * <p>One process per command, on the main thread, where blocking is fine. It starts neither Vert.x
 * nor Hazelcast and uses only the HTTP client of the JDK that loads fastest, since people wait for
 * it. Results go to the standard output, everything else to the standard error.
 */
@NullMarked
package dev.coxswain.host.ctl;

import org.jspecify.annotations.NullMarked;
