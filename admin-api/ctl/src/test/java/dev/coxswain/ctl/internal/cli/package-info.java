// SPDX-License-Identifier: Apache-2.0
/** Tests of the command line of the admin API. */
@NullMarked
package dev.coxswain.ctl.internal.cli;

import org.jspecify.annotations.NullMarked;
