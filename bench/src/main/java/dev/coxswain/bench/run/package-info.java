// SPDX-License-Identifier: Apache-2.0
/** How a benchmark is run and printed: its size, its processes, its tables. */
@NullMarked
package dev.coxswain.bench.run;

import org.jspecify.annotations.NullMarked;
