// SPDX-License-Identifier: Apache-2.0
/**
 * The failure suite of the shared limiter: real replicas as processes of their own, a controller in
 * them that fails for ever, faults from outside, and a look at every retry that was started. It
 * does not depend on how the limiter works; it judges the start times.
 */
@NullMarked
package dev.coxswain.bench.failures;

import org.jspecify.annotations.NullMarked;
