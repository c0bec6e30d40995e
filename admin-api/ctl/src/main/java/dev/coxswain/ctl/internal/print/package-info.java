// SPDX-License-Identifier: Apache-2.0
/** Console, JSON values, and printers for tables, JSON, YAML, times and durations. */
@NullMarked
package dev.coxswain.ctl.internal.print;

import org.jspecify.annotations.NullMarked;
