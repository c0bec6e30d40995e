// SPDX-License-Identifier: Apache-2.0
/** The pauses of controllers and of causes of their failures. */
@NullMarked
package dev.coxswain.admin.internal.pause;

import org.jspecify.annotations.NullMarked;
