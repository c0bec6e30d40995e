// SPDX-License-Identifier: Apache-2.0
/**
 * Benchmarks of the engine with peers in the same run. {@code bench/run} calls {@link
 * dev.coxswain.bench.BenchMain} on the main thread; the JMH classes can be run by JMH's own main as
 * well. What each one answers is in {@code docs/BENCHMARKING.md}.
 */
@NullMarked
package dev.coxswain.bench;

import org.jspecify.annotations.NullMarked;
