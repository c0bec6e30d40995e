// SPDX-License-Identifier: Apache-2.0

/** Fault injection state. Confined to the server's event loop. */
@NullMarked
package dev.coxswain.apiserver.internal.fault;

import org.jspecify.annotations.NullMarked;
