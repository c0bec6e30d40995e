// SPDX-License-Identifier: Apache-2.0

/**
 * The registry of resources and their names; custom resource definitions add to it at run time.
 * Confined to the server's event loop.
 */
@NullMarked
package dev.coxswain.apiserver.internal.resource;

import org.jspecify.annotations.NullMarked;
