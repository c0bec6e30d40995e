// SPDX-License-Identifier: Apache-2.0
/**
 * A controller is a verticle: {@link dev.coxswain.verticle.ControllerVerticle} runs one {@link
 * dev.coxswain.controller.Controller} on one Vert.x event loop.
 *
 * <p>The only package of this module that imports Vert.x classes other than futures.
 */
@NullMarked
package dev.coxswain.verticle;

import org.jspecify.annotations.NullMarked;
