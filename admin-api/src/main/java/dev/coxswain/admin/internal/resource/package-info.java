// SPDX-License-Identifier: Apache-2.0
/**
 * The resources of this replica: controllers, items, limiters, statistics, replicas and audit
 * records.
 *
 * <p>Confined to the admin event loop. Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.admin.internal.resource;

import org.jspecify.annotations.NullMarked;
