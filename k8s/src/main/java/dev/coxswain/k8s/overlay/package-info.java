// SPDX-License-Identifier: Apache-2.0
/**
 * Lets reconcilers read their own writes: {@link dev.coxswain.k8s.overlay.OwnWrites} hears what the
 * server has answered to writes, and an {@link dev.coxswain.k8s.overlay.OverlaidReader} shows it
 * until the cache has caught up. Sources use it when asked for with {@code readYourWrites()}; what
 * got no answer, was written by another process, or through another version of the resource is seen
 * when the watch tells.
 */
@NullMarked
package dev.coxswain.k8s.overlay;

import org.jspecify.annotations.NullMarked;
