// SPDX-License-Identifier: Apache-2.0
/**
 * How fast a limiter that several processes share grants, and what it costs the event loop that
 * requests: each member in a process of its own, on the loopback interface.
 */
@NullMarked
package dev.coxswain.bench.limiter;

import org.jspecify.annotations.NullMarked;
