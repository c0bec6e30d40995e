// SPDX-License-Identifier: Apache-2.0
/** Rules that all modules keep. They are checked here because the host sees every module. */
@NullMarked
package dev.coxswain.host.rules;

import org.jspecify.annotations.NullMarked;
