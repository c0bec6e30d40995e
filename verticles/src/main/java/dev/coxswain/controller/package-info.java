// SPDX-License-Identifier: Apache-2.0
/**
 * A controller: a named reconciler with its sources, its work queue and its options.
 *
 * <p>Authors implement {@link dev.coxswain.controller.ControllerDefinition}, which the host finds
 * with the service loader and which builds a {@link dev.coxswain.controller.Controller}. Operators
 * and hosts read and change a running controller through its {@link
 * dev.coxswain.controller.ControllerHandle}, from any thread. {@link
 * dev.coxswain.verticle.ControllerVerticle} runs it.
 */
@NullMarked
package dev.coxswain.controller;

import org.jspecify.annotations.NullMarked;
