// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.value;

import org.jspecify.annotations.Nullable;

/**
 * How a replica contributed to a merged response.
 *
 * @param state such as {@code ok} or {@code timeout}
 * @param error why it contributed nothing, or not everything
 */
public record ReplicaState(String replica, String state, @Nullable String error) {}
