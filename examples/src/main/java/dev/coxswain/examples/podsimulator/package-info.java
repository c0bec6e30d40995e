// SPDX-License-Identifier: Apache-2.0
/**
 * A kubelet for {@code dev} and tests, where no Pod ever runs: it moves Pods through their phases.
 *
 * <p>Called by the host; the reconciler runs on virtual threads.
 */
@NullMarked
package dev.coxswain.examples.podsimulator;

import org.jspecify.annotations.NullMarked;
