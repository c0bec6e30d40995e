// SPDX-License-Identifier: Apache-2.0

/**
 * Users, tokens, role-based access control and the review resources. Confined to the server's event
 * loop.
 */
@NullMarked
package dev.coxswain.apiserver.internal.access;

import org.jspecify.annotations.NullMarked;
