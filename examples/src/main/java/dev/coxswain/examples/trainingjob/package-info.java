// SPDX-License-Identifier: Apache-2.0
/**
 * Distributed training: a controller of a larger kind, with groups of Pods that it owns, restarts,
 * limits, clean-up and conditions.
 *
 * <p>Called by the host; the reconciler runs on virtual threads.
 */
@NullMarked
package dev.coxswain.examples.trainingjob;

import org.jspecify.annotations.NullMarked;
