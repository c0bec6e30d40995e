// SPDX-License-Identifier: Apache-2.0
/** Tests of changes by request, and of their undo. */
@NullMarked
package dev.coxswain.admin.internal.change;

import org.jspecify.annotations.NullMarked;
