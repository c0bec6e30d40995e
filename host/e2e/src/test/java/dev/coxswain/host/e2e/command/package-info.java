// SPDX-License-Identifier: Apache-2.0
/** The launcher, sessions, {@code run} and {@code ctl}, as a user starts them. */
@NullMarked
package dev.coxswain.host.e2e.command;

import org.jspecify.annotations.NullMarked;
