// SPDX-License-Identifier: Apache-2.0
/**
 * Benchmarks of what the shared limiter keeps package-private: they carry its package name to reach
 * it, and are called by {@code dev.coxswain.bench.limiter} only. Nothing here runs in a host.
 */
@NullMarked
package dev.coxswain.limiter;

import org.jspecify.annotations.NullMarked;
