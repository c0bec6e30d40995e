// SPDX-License-Identifier: Apache-2.0

/**
 * The part of the Common Expression Language that validation rules of custom resources mostly use:
 * operators, conditionals, field access, {@code has}, {@code size}, text functions and the list
 * macros. Unsupported expressions are refused when a definition is created. Any thread.
 */
@NullMarked
package dev.coxswain.apiserver.internal.cel;

import org.jspecify.annotations.NullMarked;
