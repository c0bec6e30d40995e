// SPDX-License-Identifier: Apache-2.0
/**
 * The controllers of a host: finds their definitions, runs each of them in its own verticle,
 * repeats failed starts, and provides their states to the admin API.
 *
 * <p>Called by the composition root. All state is confined to the host's context; other threads
 * read volatile fields. Definitions are called on platform threads of their own, since they may block.
 */
@NullMarked
package dev.coxswain.host.internal.controllers;

import org.jspecify.annotations.NullMarked;
