// SPDX-License-Identifier: Apache-2.0
/**
 * The probes of a host: whether it is alive, ready and started, in the form that Kubernetes itself
 * uses.
 *
 * <p>Called by the composition root; checks run on the event loop of the server, must be quick, and
 * never depend on anything outside this process when they are about being alive.
 */
@NullMarked
package dev.coxswain.host.probes;

import org.jspecify.annotations.NullMarked;
