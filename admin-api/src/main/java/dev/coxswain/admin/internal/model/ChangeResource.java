// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.model;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a change of a plug-in, of a replica or of the slot map; the kind names which.
 *
 * @param plugin the plug-in, with its {@code action}, {@code phase} and {@code error}
 * @param ended whether the action of a plug-in has ended
 * @param drained whether the replica is drained, with the number of its {@code slots}
 * @param problem why the slot map was not accepted
 */
@RecordBuilder
public record ChangeResource(
    String kind,
    @Nullable String plugin,
    @Nullable String action,
    String result,
    @Nullable String detail,
    @Nullable Boolean ended,
    @Nullable String phase,
    @Nullable String error,
    @Nullable Boolean drained,
    @Nullable Long slots,
    @Nullable String problem,
    @Nullable String replica,
    @Nullable Boolean partial,
    @Nullable List<ChangeResult> results)
    implements ChangedValue, ChangeResourceBuilder.With {

  /** Starts the result of a change. */
  public static ChangeResourceBuilder of(String kind, boolean applied) {
    return ChangeResourceBuilder.builder().kind(kind).result(applied ? APPLIED : SKIPPED);
  }

  @Override
  public ChangeResource outcome(String value, @Nullable String why) {
    return withResult(value).withDetail(why);
  }

  @Override
  public ChangeResource on(String self, boolean isPartial, List<ChangeResult> all) {
    return withReplica(self).withPartial(isPartial).withResults(all);
  }
}
