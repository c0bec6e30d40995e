// SPDX-License-Identifier: Apache-2.0
/**
 * How small and how fast the embedded API server is: the server in a process of its own, the
 * writers and watchers of one load generator in another.
 */
@NullMarked
package dev.coxswain.bench.apiserver;

import org.jspecify.annotations.NullMarked;
