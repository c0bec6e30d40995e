// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

/**
 * A change that the suite made.
 *
 * <p>Thread rule: immutable.
 *
 * @param key the name of the object
 * @param generation the generation that the change made
 * @param nanos when the API server had acknowledged it
 */
record ObjectChange(String key, long generation, long nanos) {}
