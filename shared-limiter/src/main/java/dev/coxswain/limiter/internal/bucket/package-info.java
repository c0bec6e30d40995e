// SPDX-License-Identifier: Apache-2.0
/**
 * The state of a limiter in the cluster and its arithmetic: the token bucket, requests, replies,
 * and changes of the limits. Pure functions: no threads, no clock, no Hazelcast.
 *
 * <p>Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.limiter.internal.bucket;

import org.jspecify.annotations.NullMarked;
