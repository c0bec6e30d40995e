// SPDX-License-Identifier: Apache-2.0

/**
 * Conversion webhooks of custom resource definitions: objects are stored in one version and are
 * converted for requests in another. Confined to the server's event loop.
 */
@NullMarked
package dev.coxswain.apiserver.internal.conversion;

import org.jspecify.annotations.NullMarked;
