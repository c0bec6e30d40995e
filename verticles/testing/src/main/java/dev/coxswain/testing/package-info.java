// SPDX-License-Identifier: Apache-2.0
/** Fixtures that the tests of several modules share. */
@NullMarked
package dev.coxswain.testing;

import org.jspecify.annotations.NullMarked;
