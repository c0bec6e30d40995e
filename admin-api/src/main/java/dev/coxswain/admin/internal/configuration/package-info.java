// SPDX-License-Identifier: Apache-2.0
/**
 * The configuration of this replica and of all replicas: which one is in use, and why a changed file
 * is not.
 *
 * <p>Called by the routes, on the admin event loop.
 */
@NullMarked
package dev.coxswain.admin.internal.configuration;

import org.jspecify.annotations.NullMarked;
