// SPDX-License-Identifier: Apache-2.0
/**
 * How fast and how small caches of many pods are: each subject in a process of its own, all against
 * one server process.
 */
@NullMarked
package dev.coxswain.bench.informer;

import org.jspecify.annotations.NullMarked;
