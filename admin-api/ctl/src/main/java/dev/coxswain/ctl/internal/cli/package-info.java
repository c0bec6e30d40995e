// SPDX-License-Identifier: Apache-2.0
/**
 * Shared parts of the command lines of Coxswain: arguments and flags, output, exit codes, suggestions,
 * and the file of a development session. Depends on no other package; the host's commands use it.
 */
@NullMarked
package dev.coxswain.ctl.internal.cli;

import org.jspecify.annotations.NullMarked;
