// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache.ownwrites;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of one object after the last write of this process.
 *
 * <p>Thread rule: immutable.
 *
 * @param uid the incarnation; empty when the object is gone
 * @param version the version from which on the cache is at least as new; empty without one
 * @param json the object in UTF-8, or null when it is hidden
 * @param gone incarnations that have been deleted for good; they never come back
 * @param listsBegun how many lists of the cache had begun when the response was received
 * @param cachedVersion the version in the cache at that time; empty for none
 */
@SuppressWarnings("ArrayRecordComponent") // identity is meant: states are never compared by content
record OwnState(
    String uid,
    String version,
    byte @Nullable [] json,
    Set<String> gone,
    long listsBegun,
    String cachedVersion) {}
