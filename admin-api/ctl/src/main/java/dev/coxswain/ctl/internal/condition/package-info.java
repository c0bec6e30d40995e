// SPDX-License-Identifier: Apache-2.0
/** {@code wait}: waits until controllers and items fulfil a condition. */
@NullMarked
package dev.coxswain.ctl.internal.condition;

import org.jspecify.annotations.NullMarked;
