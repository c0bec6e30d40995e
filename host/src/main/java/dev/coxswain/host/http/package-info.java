// SPDX-License-Identifier: Apache-2.0
/**
 * The small servers for probes and metrics. They answer a handful of fixed paths and nothing else.
 *
 * <p>Called by the composition root; handlers run on the server's event loop and must not block it.
 */
@NullMarked
package dev.coxswain.host.http;

import org.jspecify.annotations.NullMarked;
