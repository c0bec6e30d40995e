// SPDX-License-Identifier: Apache-2.0

/**
 * The few controllers without which an API server feels dead: definitions, namespaces, garbage
 * collection. Confined to the server's event loop.
 */
@NullMarked
package dev.coxswain.apiserver.internal.controller;

import org.jspecify.annotations.NullMarked;
