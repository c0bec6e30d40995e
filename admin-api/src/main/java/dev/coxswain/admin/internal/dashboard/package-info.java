// SPDX-License-Identifier: Apache-2.0
/**
 * The dashboard: static files from the jar, with their security headers.
 *
 * <p>Confined to the admin event loop. Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.admin.internal.dashboard;

import org.jspecify.annotations.NullMarked;
