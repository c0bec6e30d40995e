// SPDX-License-Identifier: Apache-2.0
/** The command that restores what was before a change. Not promised: may change in any release. */
@NullMarked
package dev.coxswain.ctl.internal.undo;

import org.jspecify.annotations.NullMarked;
