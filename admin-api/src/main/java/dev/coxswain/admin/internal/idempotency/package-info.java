// SPDX-License-Identifier: Apache-2.0
/**
 * Idempotency keys: a change is carried out once for each key, and its response is stored for
 * repetitions.
 *
 * <p>Confined to the admin event loop. Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.admin.internal.idempotency;

import org.jspecify.annotations.NullMarked;
