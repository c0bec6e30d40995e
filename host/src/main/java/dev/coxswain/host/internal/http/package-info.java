// SPDX-License-Identifier: Apache-2.0
/**
 * The HTTP servers for probes and metrics, with a few fixed paths.
 *
 * <p>Called by the composition root; handlers run on the server's event loop and must not block it.
 */
@NullMarked
package dev.coxswain.host.internal.http;

import org.jspecify.annotations.NullMarked;
