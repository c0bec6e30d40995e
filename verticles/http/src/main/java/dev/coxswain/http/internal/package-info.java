// SPDX-License-Identifier: Apache-2.0
/**
 * The HTTP listener of every server of a host: admin API, metrics, probes, webhooks and callbacks.
 *
 * <p>Requests and connections are handled on the event loop of the server.
 */
@NullMarked
package dev.coxswain.http.internal;

import org.jspecify.annotations.NullMarked;
