// SPDX-License-Identifier: Apache-2.0
/** The peer whose libraries do not go together with Coxswain's; started by {@code bench/run}. */
@NullMarked
package dev.coxswain.bench.josdk;

import org.jspecify.annotations.NullMarked;
