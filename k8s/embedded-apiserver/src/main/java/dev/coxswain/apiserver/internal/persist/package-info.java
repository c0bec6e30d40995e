// SPDX-License-Identifier: Apache-2.0

/** Keeps the objects in a file, so that a later server can go on with them. */
@NullMarked
package dev.coxswain.apiserver.internal.persist;

import org.jspecify.annotations.NullMarked;
