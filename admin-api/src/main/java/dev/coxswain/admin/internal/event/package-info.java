// SPDX-License-Identifier: Apache-2.0
/**
 * The event stream (server-sent events): what changed on this replica and, merged, on all others.
 *
 * <p>Confined to the admin event loop. Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.admin.internal.event;

import org.jspecify.annotations.NullMarked;
