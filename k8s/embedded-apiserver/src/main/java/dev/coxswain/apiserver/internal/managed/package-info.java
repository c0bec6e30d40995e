// SPDX-License-Identifier: Apache-2.0

/**
 * Field ownership: sets of fields, managedFields bookkeeping of updates, and server-side apply. Any
 * thread.
 */
@NullMarked
package dev.coxswain.apiserver.internal.managed;

import org.jspecify.annotations.NullMarked;
