// SPDX-License-Identifier: Apache-2.0
/** Tests of the stored history. */
@NullMarked
package dev.coxswain.host.internal.history;

import org.jspecify.annotations.NullMarked;
