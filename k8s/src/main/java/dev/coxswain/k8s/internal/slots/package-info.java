// SPDX-License-Identifier: Apache-2.0

/**
 * Which objects a filtered informer keeps, and the load of slots into it. Used by {@link
 * dev.coxswain.k8s.informer}.
 */
@NullMarked
package dev.coxswain.k8s.internal.slots;

import org.jspecify.annotations.NullMarked;
