// SPDX-License-Identifier: Apache-2.0
/** The causes of failures: those of this replica, and their sum over all. */
@NullMarked
package dev.coxswain.admin.internal.cause;

import org.jspecify.annotations.NullMarked;
