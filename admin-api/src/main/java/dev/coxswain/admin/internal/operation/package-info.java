// SPDX-License-Identifier: Apache-2.0
/**
 * Operations, which act on many items in the background: requests, confirmation, progress and their
 * log.
 *
 * <p>Confined to the admin event loop. Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.admin.internal.operation;

import org.jspecify.annotations.NullMarked;
