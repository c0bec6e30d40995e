// SPDX-License-Identifier: Apache-2.0
/**
 * What a request restores when it undoes another one, and the states before and after changes, as audit
 * records have them. The handlers of the original changes use it.
 *
 * <p>Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.admin.internal.undo;

import org.jspecify.annotations.NullMarked;
