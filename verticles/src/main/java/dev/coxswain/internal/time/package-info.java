// SPDX-License-Identifier: Apache-2.0
/**
 * Arithmetic with durations.
 *
 * <p>Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.internal.time;

import org.jspecify.annotations.NullMarked;
