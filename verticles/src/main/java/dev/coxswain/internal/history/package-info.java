// SPDX-License-Identifier: Apache-2.0
/** How the last attempts of each request ended, within bounds. */
@NullMarked
package dev.coxswain.internal.history;

import org.jspecify.annotations.NullMarked;
