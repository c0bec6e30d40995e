// SPDX-License-Identifier: Apache-2.0
/** Processes of the system and of this project, what they use, and HTTP calls to them. */
@NullMarked
package dev.coxswain.testing.process;

import org.jspecify.annotations.NullMarked;
