// SPDX-License-Identifier: Apache-2.0

/**
 * Shapes of objects: the table of built-in types, structural schemas of custom resources, and what
 * is done with them (decoding, pruning, defaulting, validation). Immutable after loading; any
 * thread.
 */
@NullMarked
package dev.coxswain.apiserver.internal.schema;

import org.jspecify.annotations.NullMarked;
