// SPDX-License-Identifier: Apache-2.0
/**
 * What the values of the admin API have in common: they are merged, copied and marked.
 *
 * <p>Immutable, any thread. Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.admin.internal.value;

import org.jspecify.annotations.NullMarked;
