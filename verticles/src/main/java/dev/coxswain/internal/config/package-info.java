// SPDX-License-Identifier: Apache-2.0
/**
 * The configuration of a controller as a record of its author.
 *
 * <p>Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.internal.config;

import org.jspecify.annotations.NullMarked;
