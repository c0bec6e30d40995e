// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.timeline;

import dev.coxswain.admin.internal.history.TimelineEvent;
import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.admin.internal.table.TableResource;
import dev.coxswain.admin.internal.table.TableValue;
import dev.coxswain.admin.internal.value.ListValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Events of the timeline, the youngest first.
 *
 * @param more whether the limit leaves some out
 * @param historyProblem why stored events may be missing
 */
public record TimelineList(
    String kind,
    boolean more,
    List<TimelineEvent> items,
    @Nullable String replica,
    @Nullable Boolean partial,
    @Nullable List<ReplicaState> replicas,
    @Nullable String historyProblem)
    implements ListValue, TableValue {

  private static final String KIND = "TimelineList";

  static TimelineList of(boolean more, List<TimelineEvent> items, @Nullable String historyProblem) {
    return new TimelineList(KIND, more, items, null, null, null, historyProblem);
  }

  @Override
  public TimelineList marked(String self, boolean isPartial, List<ReplicaState> states) {
    return new TimelineList(
        kind, more, items, self, isPartial || historyProblem != null, states, historyProblem);
  }

  @Override
  public TableResource table(TableRequest request) {
    return TimelineEvent.COLUMNS
        .table(items, request)
        .from(replica, partial, replicas)
        .withHistoryProblem(historyProblem);
  }
}
