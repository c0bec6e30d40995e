// SPDX-License-Identifier: Apache-2.0

/**
 * Validation of the larger specs of built-in kinds: pods (alone and in templates), service ports.
 * Any thread.
 */
@NullMarked
package dev.coxswain.apiserver.internal.spec;

import org.jspecify.annotations.NullMarked;
