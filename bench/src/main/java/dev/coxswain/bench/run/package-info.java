// SPDX-License-Identifier: Apache-2.0
/** How a benchmark is run: its size and options, its processes, the machine below it. */
@NullMarked
package dev.coxswain.bench.run;

import org.jspecify.annotations.NullMarked;
