// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.model;

import dev.coxswain.admin.internal.value.RecordedValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A value that is the response to a change. */
public interface ChangedValue extends RecordedValue {

  /** The result of a change that was made. */
  String APPLIED = "applied";

  /** The result of a change that was not needed. */
  String SKIPPED = "skipped";

  /** Returns {@link #APPLIED} or {@link #SKIPPED}; null without a result. */
  @Nullable String result();

  /** Returns why nothing was changed, or what was so before; null when there is nothing to add. */
  @Nullable String detail();

  @Override
  default String recorded() {
    String word = result();
    return word == null ? APPLIED : word;
  }

  /** Returns the item after the change; null for none. */
  default @Nullable ItemResource item() {
    return null;
  }

  /** Returns the value with another result. */
  ChangedValue outcome(String result, @Nullable String detail);

  /** Returns the value with the outcome of each replica. */
  ChangedValue on(String replica, boolean partial, List<ChangeResult> results);
}
