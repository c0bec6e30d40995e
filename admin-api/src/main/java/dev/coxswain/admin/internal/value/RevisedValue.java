// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.value;

import org.jspecify.annotations.Nullable;

/** A value of which a client can have seen an older state, and which it may change only if it has not. */
public interface RevisedValue {

  /** Returns what its {@code ETag} is made of, or null if this state has none. */
  @Nullable String rev();
}
