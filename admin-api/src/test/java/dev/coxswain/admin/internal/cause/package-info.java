// SPDX-License-Identifier: Apache-2.0
/** Tests of the routes of causes. */
@NullMarked
package dev.coxswain.admin.internal.cause;

import org.jspecify.annotations.NullMarked;
