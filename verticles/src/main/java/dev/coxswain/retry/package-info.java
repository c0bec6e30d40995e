// SPDX-License-Identifier: Apache-2.0
/**
 * When a failed request may be tried again: {@link dev.coxswain.retry.Backoff} decides for one
 * request, {@link dev.coxswain.retry.RetryBudget} for all of them together.
 *
 * <p>Fresh events never pay: only an attempt caused by a failure or by {@code requeue} takes a
 * token.
 */
@NullMarked
package dev.coxswain.retry;

import org.jspecify.annotations.NullMarked;
