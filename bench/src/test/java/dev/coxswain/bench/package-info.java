// SPDX-License-Identifier: Apache-2.0
/** Shows that every benchmark runs; measures nothing. */
@NullMarked
package dev.coxswain.bench;

import org.jspecify.annotations.NullMarked;
