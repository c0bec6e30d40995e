// SPDX-License-Identifier: Apache-2.0
/**
 * Benchmarks of what the engine keeps package-private: they carry its package name to reach it, and
 * are called by {@code dev.coxswain.bench} only. Nothing here runs in a host.
 */
@NullMarked
package dev.coxswain.controller;

import org.jspecify.annotations.NullMarked;
