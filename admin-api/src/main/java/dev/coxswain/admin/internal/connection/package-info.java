// SPDX-License-Identifier: Apache-2.0
/**
 * The bounds of the connections of an HTTP server, for the admin API and for the other servers of a
 * host.
 *
 * <p>Called on the event loop of the server.
 */
@NullMarked
package dev.coxswain.admin.internal.connection;

import org.jspecify.annotations.NullMarked;
