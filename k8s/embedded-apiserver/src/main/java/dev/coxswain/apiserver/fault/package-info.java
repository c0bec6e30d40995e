// SPDX-License-Identifier: Apache-2.0

/**
 * Faults of an {@link dev.coxswain.apiserver.EmbeddedApiServer}: values that {@link
 * dev.coxswain.apiserver.Faults} and the fault endpoint take and list. Everything here is immutable
 * and may be used on any thread.
 */
@NullMarked
package dev.coxswain.apiserver.fault;

import org.jspecify.annotations.NullMarked;
