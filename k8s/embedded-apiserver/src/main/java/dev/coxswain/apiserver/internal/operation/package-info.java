// SPDX-License-Identifier: Apache-2.0

/**
 * The verbs: create, get, list, update, patch, apply, delete, with all their rules. Confined to the
 * server's event loop.
 */
@NullMarked
package dev.coxswain.apiserver.internal.operation;

import org.jspecify.annotations.NullMarked;
