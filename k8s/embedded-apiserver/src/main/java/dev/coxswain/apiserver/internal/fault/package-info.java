// SPDX-License-Identifier: Apache-2.0

/**
 * Fault injection: which faults are active and what they mean for requests, watches and
 * connections. Confined to the server's event loop.
 */
@NullMarked
package dev.coxswain.apiserver.internal.fault;

import org.jspecify.annotations.NullMarked;
