// SPDX-License-Identifier: Apache-2.0
/** Tests of the drill. */
@NullMarked
package dev.coxswain.host.internal.dev.drill;

import org.jspecify.annotations.NullMarked;
