// SPDX-License-Identifier: Apache-2.0
/**
 * The only package of the product that imports Hazelcast ({@code PackagesTest}): the configuration of the member, the entry processors,
 * their serializers and the merge policy.
 *
 * <p>Not promised: may change in any release.
 */
@NullMarked
package dev.coxswain.limiter.internal.hazelcast;

import org.jspecify.annotations.NullMarked;
