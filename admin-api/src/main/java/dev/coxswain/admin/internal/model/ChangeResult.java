// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.model;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of a change on one replica.
 *
 * @param state such as {@code done} or {@code not-sent}
 * @param status the HTTP status of the replica; null without a response
 * @param problem the kind of its problem
 * @param item the item after the change
 */
public record ChangeResult(
    String replica,
    String state,
    @Nullable Integer status,
    @Nullable String problem,
    @Nullable String error,
    @Nullable ItemResource item) {}
