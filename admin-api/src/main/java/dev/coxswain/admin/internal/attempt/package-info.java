// SPDX-License-Identifier: Apache-2.0
/** The past attempts of an item as values. */
@NullMarked
package dev.coxswain.admin.internal.attempt;

import org.jspecify.annotations.NullMarked;
