// SPDX-License-Identifier: Apache-2.0

/**
 * Rules of single built-in kinds on create and update: defaults, validation, immutable fields. Any
 * thread.
 */
@NullMarked
package dev.coxswain.apiserver.internal.kind;

import org.jspecify.annotations.NullMarked;
