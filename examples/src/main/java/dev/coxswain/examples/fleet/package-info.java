// SPDX-License-Identifier: Apache-2.0
/**
 * A fleet of machines at a vendor: a controller whose requests are not objects of Kubernetes, and
 * that must not overload the API of someone else, least of all after an outage.
 *
 * <p>Called by the host; the reconciler runs on virtual threads.
 */
@NullMarked
package dev.coxswain.examples.fleet;

import org.jspecify.annotations.NullMarked;
