// SPDX-License-Identifier: Apache-2.0
/** The code of the guides for those who come from other frameworks, compiled and run. */
@NullMarked
package dev.coxswain.junit5.guide;

import org.jspecify.annotations.NullMarked;
