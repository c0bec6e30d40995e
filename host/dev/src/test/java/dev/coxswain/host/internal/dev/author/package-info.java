// SPDX-License-Identifier: Apache-2.0
/** Tests of the tools for authors. */
@NullMarked
package dev.coxswain.host.internal.dev.author;

import org.jspecify.annotations.NullMarked;
