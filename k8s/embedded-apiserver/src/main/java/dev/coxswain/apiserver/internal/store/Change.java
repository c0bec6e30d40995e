// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.store;

import org.jspecify.annotations.Nullable;

/**
 * One write; immutable.
 *
 * @param version the version it made
 * @param previous state before, null when the object was created
 * @param current state after; for a deletion the last state under the new version
 * @param deleted whether the object is gone
 */
public record Change(
    long version, @Nullable StoredObject previous, StoredObject current, boolean deleted) {}
