// SPDX-License-Identifier: Apache-2.0
/** {@code get items -w}: a line for each item, and one for each change, without events. */
@NullMarked
package dev.coxswain.ctl.internal.watch;

import org.jspecify.annotations.NullMarked;
