// SPDX-License-Identifier: Apache-2.0
/**
 * The admin API: shows every controller, queue, item and limiter of this replica over HTTP,
 * explains items, and retries, forgets, requeues, drops, flushes, pauses and resumes on request.
 *
 * <p>The host deploys one {@link dev.coxswain.admin.AdminVerticle} with a
 * {@link dev.coxswain.admin.spi.ControllerDirectory}. Everything here runs on that verticle's event
 * loop; controllers are called on their own event loops, and their results are rendered on that of
 * the verticle. Every request is authenticated and authorized by the ports of
 * {@link dev.coxswain.admin.auth}; each route has the right that it requires. Routes and semantics
 * are described in {@code docs/reference/admin-api.md}.
 */
@NullMarked
package dev.coxswain.admin;

import org.jspecify.annotations.NullMarked;
