// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cause;

import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.admin.internal.table.TableResource;
import dev.coxswain.admin.internal.table.TableValue;
import dev.coxswain.admin.internal.value.ListValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The causes of failures of one controller or of all, those of the most items first.
 *
 * @param total how many causes there are, with those that the list leaves out
 * @param failing how many items fail now, of all causes
 * @param unread the controllers of this replica whose causes could not be read; null for none
 */
@RecordBuilder
public record CauseList(
    String kind,
    long total,
    long failing,
    List<CauseResource> items,
    @Nullable List<String> unread,
    @Nullable String replica,
    @Nullable Boolean partial,
    @Nullable List<ReplicaState> replicas)
    implements ListValue, TableValue, CauseListBuilder.With {

  private static final String KIND = "CauseList";

  /**
   * Returns a list.
   *
   * @param failing how many items fail of all causes
   */
  public static CauseList of(
      long total, long failing, List<CauseResource> items, List<String> unread) {
    return new CauseList(
        KIND, total, failing, items, unread.isEmpty() ? null : unread, null, null, null);
  }

  @Override
  public CauseList marked(String self, boolean isPartial, List<ReplicaState> states) {
    return CauseListBuilder.builder(this)
        .replica(self)
        .partial(isPartial || unread != null)
        .replicas(states)
        .build();
  }

  @Override
  public TableResource table(TableRequest request) {
    return CauseResource.COLUMNS
        .table(items, request)
        .from(replica, partial, replicas)
        .withWarnings(
            unread == null
                ? List.of()
                : List.of("The causes could not be read of: " + String.join(", ", unread) + "."));
  }
}
