// SPDX-License-Identifier: Apache-2.0
/**
 * The plug-ins of this replica and of all replicas, and the actions on them.
 *
 * <p>Called by the routes, on the admin event loop.
 */
@NullMarked
package dev.coxswain.admin.internal.plugin;

import org.jspecify.annotations.NullMarked;
