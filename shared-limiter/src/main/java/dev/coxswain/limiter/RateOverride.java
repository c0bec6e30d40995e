// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter;

/**
 * A rate and a burst that an operator has set for a while.
 *
 * <p>Thread rule: immutable.
 *
 * @param generation counts the changes of this limiter's override
 * @param rate retries per second
 * @param burst the burst
 * @param leftNanos how long it holds from when this was read, in nanoseconds, positive
 */
public record RateOverride(int generation, double rate, int burst, long leftNanos) {}
