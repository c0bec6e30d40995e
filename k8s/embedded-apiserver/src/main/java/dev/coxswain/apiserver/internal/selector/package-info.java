// SPDX-License-Identifier: Apache-2.0

/** Label, field and shard selectors. Immutable; any thread. */
@NullMarked
package dev.coxswain.apiserver.internal.selector;

import org.jspecify.annotations.NullMarked;
