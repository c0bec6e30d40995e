// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.operation;

import dev.coxswain.apiserver.internal.store.StoredObject;

/**
 * The result of a write; immutable.
 *
 * @param object the object after the write
 * @param created whether it is new
 */
public record Outcome(StoredObject object, boolean created) {}
