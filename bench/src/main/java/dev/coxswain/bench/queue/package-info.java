// SPDX-License-Identifier: Apache-2.0
/** Benchmarks of the work queue, the inbox and delayed requests, beside their peers in Java. */
@NullMarked
package dev.coxswain.bench.queue;

import org.jspecify.annotations.NullMarked;
