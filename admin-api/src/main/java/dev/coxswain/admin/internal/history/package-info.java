// SPDX-License-Identifier: Apache-2.0
/**
 * Finished operations and audit records that are stored beyond a restart of the replicas.
 *
 * <p>Confined to the admin event loop. Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.admin.internal.history;

import org.jspecify.annotations.NullMarked;
