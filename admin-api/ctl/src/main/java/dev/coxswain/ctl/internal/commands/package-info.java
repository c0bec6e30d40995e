// SPDX-License-Identifier: Apache-2.0
/** The commands, one class each, and the table of them. */
@NullMarked
package dev.coxswain.ctl.internal.commands;

import org.jspecify.annotations.NullMarked;
