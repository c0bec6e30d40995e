// SPDX-License-Identifier: Apache-2.0
/**
 * The webhooks of controllers: one TLS server for all, its certificate, and what is written into the
 * API server so that it calls them. {@link dev.coxswain.host.internal.webhooks.WebhookComponent} puts the
 * parts together. Nothing runs unless a definition declares a webhook.
 */
@NullMarked
package dev.coxswain.host.internal.webhooks;

import org.jspecify.annotations.NullMarked;
