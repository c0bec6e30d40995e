// SPDX-License-Identifier: Apache-2.0
/**
 * The engine of one controller: starts and stops its sources and its loop, and implements {@link
 * dev.coxswain.controller.ControllerHandle} with bulk actions and explanations.
 *
 * <p>Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.internal.engine;

import org.jspecify.annotations.NullMarked;
