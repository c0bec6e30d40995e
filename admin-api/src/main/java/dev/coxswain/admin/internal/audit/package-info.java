// SPDX-License-Identifier: Apache-2.0
/**
 * The audit trail: one record for the intent of each change and one for its outcome.
 *
 * <p>Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.admin.internal.audit;

import org.jspecify.annotations.NullMarked;
