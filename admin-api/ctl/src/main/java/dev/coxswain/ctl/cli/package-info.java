// SPDX-License-Identifier: Apache-2.0
/**
 * Arguments, flags, console, exit codes and messages of a command line. Depends on no other
 * package.
 */
@NullMarked
package dev.coxswain.ctl.cli;

import org.jspecify.annotations.NullMarked;
