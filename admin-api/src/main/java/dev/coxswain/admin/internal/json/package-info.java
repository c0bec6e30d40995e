// SPDX-License-Identifier: Apache-2.0
/**
 * Reading and writing JSON, durations, digests and problem details (RFC 9457).
 *
 * <p>Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.admin.internal.json;

import org.jspecify.annotations.NullMarked;
