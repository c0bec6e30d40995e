// SPDX-License-Identifier: Apache-2.0
/**
 * The probes of a host: alive, ready and started, in the format of Kubernetes.
 *
 * <p>Called by the composition root; checks run on the event loop of the server and must be quick.
 * Liveness depends on nothing outside this process.
 */
@NullMarked
package dev.coxswain.host.internal.probes;

import org.jspecify.annotations.NullMarked;
