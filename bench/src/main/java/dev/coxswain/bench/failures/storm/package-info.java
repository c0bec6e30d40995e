// SPDX-License-Identifier: Apache-2.0
/**
 * A controller whose every attempt fails at once, for the failure suite.
 * It records when each retry starts, and nothing else happens in it.
 */
@NullMarked
package dev.coxswain.bench.failures.storm;

import org.jspecify.annotations.NullMarked;
