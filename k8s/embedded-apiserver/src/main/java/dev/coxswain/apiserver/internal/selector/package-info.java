// SPDX-License-Identifier: Apache-2.0

/** Label and field selectors. Immutable; any thread. */
@NullMarked
package dev.coxswain.apiserver.internal.selector;

import org.jspecify.annotations.NullMarked;
