// SPDX-License-Identifier: Apache-2.0
/**
 * A controller that records begin, writes and end of each attempt, in the replicas of a failure
 * suite, and the objects that it reconciles.
 */
@NullMarked
package dev.coxswain.bench.failures.recorder;

import org.jspecify.annotations.NullMarked;
