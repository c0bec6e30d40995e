// SPDX-License-Identifier: Apache-2.0

/**
 * Admission webhooks: which of them match a write, in what order they are called, and what comes of
 * it. Confined to the server's event loop.
 *
 * <p>The verbs are synchronous and calls are not. So a verb that needs an answer of a webhook ends
 * with a {@code PendingException} before it has changed anything, the calls are made, and the
 * request is handled again from its beginning with the answers at hand. When the object has changed
 * in the meantime, the answers no longer fit and the webhooks are called again, as the real server
 * does.
 */
@NullMarked
package dev.coxswain.apiserver.internal.admission;

import org.jspecify.annotations.NullMarked;
