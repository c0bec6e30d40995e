// SPDX-License-Identifier: Apache-2.0

/**
 * Calls of webhooks, for admission and conversion: where they are and how they are sent. Confined to
 * the server's event loop.
 */
@NullMarked
package dev.coxswain.apiserver.internal.webhook;

import org.jspecify.annotations.NullMarked;
