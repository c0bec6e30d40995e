// SPDX-License-Identifier: Apache-2.0
/**
 * Arguments, flags, the console, exit codes and messages: what every command line needs. Depends on
 * no other package.
 */
@NullMarked
package dev.coxswain.ctl.cli;

import org.jspecify.annotations.NullMarked;
