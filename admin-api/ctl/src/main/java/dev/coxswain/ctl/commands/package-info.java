// SPDX-License-Identifier: Apache-2.0
/** The commands, one class each, and the table of them. */
@NullMarked
package dev.coxswain.ctl.commands;

import org.jspecify.annotations.NullMarked;
