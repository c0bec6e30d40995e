// SPDX-License-Identifier: Apache-2.0
/**
 * {@code coxswain dist}: the archive and the container image, with a bill of materials and
 * checksums, from a source tree that has been built. The files depend on the sources, the JDK and
 * the C library alone: entries are sorted, times and owners fixed.
 *
 * <p>Called by the command line on the main thread, which may block.
 */
@NullMarked
package dev.coxswain.host.internal.dev.dist;

import org.jspecify.annotations.NullMarked;
