// SPDX-License-Identifier: Apache-2.0
/**
 * Changes of operators: the audit records of one request, of all replicas, as one row, and the undo of
 * such a change.
 *
 * <p>Confined to the admin event loop. Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.admin.internal.change;

import org.jspecify.annotations.NullMarked;
