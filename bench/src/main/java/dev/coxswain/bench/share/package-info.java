// SPDX-License-Identifier: Apache-2.0
/** What replicas that share objects receive of them, and what that costs. */
@NullMarked
package dev.coxswain.bench.share;

import org.jspecify.annotations.NullMarked;
