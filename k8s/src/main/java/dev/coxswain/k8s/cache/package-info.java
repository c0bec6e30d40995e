// SPDX-License-Identifier: Apache-2.0
/**
 * The types of the API of informers: keys, events, listeners, indexes and {@link
 * dev.coxswain.k8s.cache.Lister}, through which reconcilers read cached objects.
 */
@NullMarked
package dev.coxswain.k8s.cache;

import org.jspecify.annotations.NullMarked;
