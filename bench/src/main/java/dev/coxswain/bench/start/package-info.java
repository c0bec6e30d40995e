// SPDX-License-Identifier: Apache-2.0
/** How soon a development run is ready and what its first requests cost. */
@NullMarked
package dev.coxswain.bench.start;

import org.jspecify.annotations.NullMarked;
