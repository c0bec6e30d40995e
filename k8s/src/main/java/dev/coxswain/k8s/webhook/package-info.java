// SPDX-License-Identifier: Apache-2.0
/**
 * Webhooks of controllers: a definition that is a {@link dev.coxswain.k8s.webhook.WebhookDefinition}
 * declares handlers for admission and conversion, which get and return typed objects. The host
 * serves them over TLS and registers them with the API server. Handlers that block run on virtual
 * threads, the others on an event loop.
 */
@NullMarked
package dev.coxswain.k8s.webhook;

import org.jspecify.annotations.NullMarked;
