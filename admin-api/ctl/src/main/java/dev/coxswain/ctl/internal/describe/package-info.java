// SPDX-License-Identifier: Apache-2.0
/** {@code describe}: everything about one controller, limiter or replica. */
@NullMarked
package dev.coxswain.ctl.internal.describe;

import org.jspecify.annotations.NullMarked;
