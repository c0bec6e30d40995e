// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.change;

import dev.coxswain.admin.internal.model.ChangeResult;
import dev.coxswain.admin.internal.value.RecordedValue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of an undo. Immutable.
 *
 * @param requestId the request of the undo, which can be undone itself
 * @param undoes the request that is undone
 * @param action the change that restores what was before
 * @param change what is restored, in words
 * @param before the state now
 * @param after the state that is restored
 * @param result {@code applied}, or {@code preview} for a dry run
 * @param results the outcome of each replica
 */
public record UndoResource(
    String kind,
    String requestId,
    String undoes,
    String action,
    @Nullable String controller,
    @Nullable String cause,
    @Nullable String limiter,
    String change,
    ChangeState before,
    ChangeState after,
    String result,
    @Nullable String detail,
    String replica,
    boolean partial,
    List<ChangeResult> results)
    implements RecordedValue {

  static final String KIND = "Undo";

  @Override
  public String recorded() {
    return result;
  }
}
