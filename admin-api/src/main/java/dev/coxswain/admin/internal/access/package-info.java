// SPDX-License-Identifier: Apache-2.0
/**
 * Access checks: authentication, authorization, cached decisions, failed logins and checks of
 * changes.
 *
 * <p>Confined to the admin event loop. Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.admin.internal.access;

import org.jspecify.annotations.NullMarked;
