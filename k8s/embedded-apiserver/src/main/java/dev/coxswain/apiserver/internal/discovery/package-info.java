// SPDX-License-Identifier: Apache-2.0

/** Discovery documents and OpenAPI. Confined to the server's event loop. */
@NullMarked
package dev.coxswain.apiserver.internal.discovery;

import org.jspecify.annotations.NullMarked;
