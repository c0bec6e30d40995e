// SPDX-License-Identifier: Apache-2.0
/**
 * Where the controllers of a test class run: in virtual time, at an embedded API server in real time,
 * or at a cluster.
 */
@NullMarked
package dev.coxswain.junit5.internal.ground;

import org.jspecify.annotations.NullMarked;
