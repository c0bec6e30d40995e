// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal;

/**
 * A rate and burst that replace the configured ones for a limited time.
 *
 * <p>Thread rule: immutable.
 *
 * @param generation counts the changes of this limiter's override
 * @param rate retries per second
 * @param burst the burst
 * @param leftNanos the remaining duration when this was read, in nanoseconds, positive; 0 in a
 *     request to end it
 */
public record RateOverride(int generation, double rate, int burst, long leftNanos) {}
