// SPDX-License-Identifier: Apache-2.0
/**
 * The caches of this replica and of all replicas.
 *
 * <p>Called by the routes, on the admin event loop.
 */
@NullMarked
package dev.coxswain.admin.internal.cache;

import org.jspecify.annotations.NullMarked;
