// SPDX-License-Identifier: Apache-2.0
/** JSON values, and printers for tables, JSON and YAML. */
@NullMarked
package dev.coxswain.ctl.print;

import org.jspecify.annotations.NullMarked;
