// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.fault;

import java.time.Duration;

/**
 * A fault that has been injected; immutable, any thread.
 *
 * @param id what it is cleared by
 * @param fault what was injected
 * @param applied how often it has happened so far: requests, watches, events or connections
 * @param remaining time until it ends by itself, zero = it does not
 * @param active false when it is over, which instant faults are at once
 */
public record ActiveFault(
    String id, Fault fault, long applied, Duration remaining, boolean active) {}
