// SPDX-License-Identifier: Apache-2.0
/** What all commands have in common: their description, the state of one call, items and how they are selected. */
@NullMarked
package dev.coxswain.ctl.internal.context;

import org.jspecify.annotations.NullMarked;
