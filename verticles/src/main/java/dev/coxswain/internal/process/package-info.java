// SPDX-License-Identifier: Apache-2.0
/**
 * What the operating system grants this process.
 *
 * <p>Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.internal.process;

import org.jspecify.annotations.NullMarked;
