// SPDX-License-Identifier: Apache-2.0
/**
 * Requests from outside systems over HTTP: {@link dev.coxswain.k8s.callback.HttpCallbackSource} on a port
 * of its own, or on a {@link dev.coxswain.k8s.callback.CallbackServer} that the host provides.
 *
 * <p>A source belongs to one controller, which starts it on its event loop; calls are read on that of
 * the server.
 */
@NullMarked
package dev.coxswain.k8s.callback;

import org.jspecify.annotations.NullMarked;
