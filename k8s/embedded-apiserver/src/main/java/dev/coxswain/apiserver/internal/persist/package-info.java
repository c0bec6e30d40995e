// SPDX-License-Identifier: Apache-2.0

/**
 * Keeps the objects of a server in a directory, so that a session can be resumed.
 *
 * <p>A generation is a snapshot and the log of what came after it; when the log has grown enough, a
 * new generation begins. {@link dev.coxswain.apiserver.internal.persist.DataDirectory} reads and
 * writes files and blocks; {@link dev.coxswain.apiserver.internal.persist.Persistence} stands on
 * the server's event loop and never does.
 */
@NullMarked
package dev.coxswain.apiserver.internal.persist;

import org.jspecify.annotations.NullMarked;
