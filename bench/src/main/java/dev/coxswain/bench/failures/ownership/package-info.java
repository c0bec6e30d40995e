// SPDX-License-Identifier: Apache-2.0
/**
 * The failure suite of ownership: real replicas reconcile objects that change all the time, faults
 * from outside, and checks of what each attempt recorded and of each write that the API server
 * stored. The checks do not depend on how ownership is decided.
 */
@NullMarked
package dev.coxswain.bench.failures.ownership;

import org.jspecify.annotations.NullMarked;
