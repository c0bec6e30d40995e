// SPDX-License-Identifier: Apache-2.0
/**
 * The smallest controller with a resource of its own: it does nothing but fail when asked to, so
 * that retries, the retry budget and the admin API have something to show.
 *
 * <p>Called by the host; the reconciler runs on virtual threads.
 */
@NullMarked
package dev.coxswain.examples.demo;

import org.jspecify.annotations.NullMarked;
