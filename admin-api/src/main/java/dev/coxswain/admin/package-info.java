// SPDX-License-Identifier: Apache-2.0
/**
 * The admin API: shows every controller, queue, item and limiter of this replica over HTTP,
 * explains items, and retries, forgets, requeues, drops, flushes, pauses and resumes on command.
 *
 * <p>The host deploys one {@link dev.coxswain.admin.AdminVerticle} and hands it a {@link
 * dev.coxswain.admin.spi.ControllerDirectory}. Everything here runs on that verticle's event loop;
 * the controllers answer on theirs, and their answers hop back before anything is rendered. Every
 * request passes a {@code AccessHandler}, which calls the ports of {@link dev.coxswain.admin.auth}
 * who sent it and what they may do; a route cannot be made without saying what it needs the right
 * to. Routes and semantics are described in {@code docs/reference/admin-api.md}.
 */
@NullMarked
package dev.coxswain.admin;

import org.jspecify.annotations.NullMarked;
