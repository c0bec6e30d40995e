// SPDX-License-Identifier: Apache-2.0
/**
 * Slots: which replica a request for one item concerns, and the values of slots.
 *
 * <p>Confined to the admin event loop, unless a type states otherwise. Not promised: may change in
 * any release.
 */
@NullMarked
package dev.coxswain.admin.internal.slot;

import org.jspecify.annotations.NullMarked;
