// SPDX-License-Identifier: Apache-2.0
/** Tests of tables. */
@NullMarked
package dev.coxswain.admin.internal.table;

import org.jspecify.annotations.NullMarked;
