// SPDX-License-Identifier: Apache-2.0
/**
 * A controller: a named reconciler with its sources and its queue, run by one verticle.
 *
 * <ul>
 *   <li>Authors write a {@link dev.coxswain.controller.ControllerDefinition}, found by the host
 *       with the service loader, which builds a {@link dev.coxswain.controller.Controller}.
 *   <li>The host deploys a {@link dev.coxswain.controller.ControllerVerticle} for each; everything
 *       of one controller happens on that verticle's event loop, reconcilers excepted.
 *   <li>Everybody else looks and acts through a {@link dev.coxswain.controller.ControllerHandle},
 *       from any thread.
 * </ul>
 */
@NullMarked
package dev.coxswain.controller;

import org.jspecify.annotations.NullMarked;
