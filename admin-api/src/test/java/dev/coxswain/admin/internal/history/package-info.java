// SPDX-License-Identifier: Apache-2.0
/** Tests of the stored history. */
@NullMarked
package dev.coxswain.admin.internal.history;

import org.jspecify.annotations.NullMarked;
