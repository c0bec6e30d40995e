// SPDX-License-Identifier: Apache-2.0

/** Objects in memory with versions and a bounded history. Confined to the server's event loop. */
@NullMarked
package dev.coxswain.apiserver.internal.store;

import org.jspecify.annotations.NullMarked;
