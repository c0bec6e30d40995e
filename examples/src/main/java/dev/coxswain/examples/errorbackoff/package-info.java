// SPDX-License-Identifier: Apache-2.0
/**
 * A minimal controller with a custom resource whose spec chooses the outcome of each attempt, to
 * demonstrate retries, limiters and the admin API.
 *
 * <p>Called by the host; the reconciler runs on virtual threads.
 */
@NullMarked
package dev.coxswain.examples.errorbackoff;

import org.jspecify.annotations.NullMarked;
