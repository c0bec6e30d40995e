// SPDX-License-Identifier: Apache-2.0
/**
 * Read your writes: {@link dev.coxswain.k8s.cache.ownwrites.RecentWrites} records the responses to
 * writes of this process, and {@link dev.coxswain.k8s.cache.ownwrites.ReadYourWritesLister} returns
 * them until the cache has caught up.
 *
 * <p>Sources use it with {@code readYourWrites()}. A write that got no response, that was made by
 * another process or through another version of the resource becomes visible when the watch
 * delivers it.
 */
@NullMarked
package dev.coxswain.k8s.cache.ownwrites;

import org.jspecify.annotations.NullMarked;
