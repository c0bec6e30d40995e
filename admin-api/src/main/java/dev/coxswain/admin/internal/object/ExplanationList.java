// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.object;

import dev.coxswain.admin.internal.model.ExplanationResource;
import dev.coxswain.admin.internal.model.ItemResource;
import dev.coxswain.admin.internal.slot.ItemSlot;
import dev.coxswain.admin.internal.table.Columns;
import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.admin.internal.table.TableResource;
import dev.coxswain.admin.internal.table.TableValue;
import dev.coxswain.admin.internal.value.ListValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import dev.coxswain.view.Explanation.Reason;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The explanations of one object by all controllers, those of most interest first.
 *
 * @param key the object
 * @param unread the controllers that gave no explanation; null for none
 * @param hidden how many controllers the caller may not read; null for none
 */
@RecordBuilder
public record ExplanationList(
    String kind,
    ItemResource.Key key,
    List<ExplanationResource> items,
    @Nullable List<String> unread,
    @Nullable Integer hidden,
    @Nullable String replica,
    @Nullable Boolean partial,
    @Nullable List<ReplicaState> replicas)
    implements ListValue, TableValue, ExplanationListBuilder.With {

  /** The reason of a controller that gave no explanation. */
  static final String UNREAD = "unread";

  /** The reason of a controller that could not be started, or is stopping. */
  static final String NOT_RUNNING = "notRunning";

  private static final String KIND = "ExplanationList";

  /** The controllers that have nothing to do with the object. */
  private static final Set<String> MEANINGLESS =
      labels(Reason.UNKNOWN_NAME, Reason.NOT_IN_CACHE, Reason.LEFT_OUT);

  /** Those without a queued item that have nothing to report but that there is nothing to do. */
  private static final Set<String> AT_REST =
      labels(Reason.DROPPED, Reason.FLUSHED, Reason.SUCCEEDED, Reason.DELETED, Reason.NOT_TRACKED);

  private static final Comparator<ExplanationResource> ORDER =
      Comparator.comparingInt(ExplanationList::rank).thenComparing(ExplanationResource::controller);

  private static final Columns<ExplanationResource> COLUMNS =
      Columns.of(ExplanationResource::controller)
          .name("CONTROLLER", "The controller.", ExplanationResource::controller)
          .text("REASON", "Why it is, or is not, being reconciled.", ExplanationResource::reason)
          .relative(
              "WHEN",
              "When it is due, or since when it is in its phase, or when it left the queue.",
              ExplanationList::when)
          .text("REPLICA", "The replica that tracks it.", ExplanationResource::replica)
          .text("MESSAGE", "State, cause and what to do.", ExplanationResource::message)
          .wide()
          .text("PHASE", "The phase of the item.", one -> item(one, ItemResource::phase))
          .integer(
              "FAILURES",
              "How often it has failed in a row.",
              one -> item(one, ItemResource::failures))
          .integer("SLOT", "Its slot.", one -> one.slot() == null ? null : one.slot().slot())
          .text("ID", "The id of the item, for paths.", ExplanationResource::id)
          .build();

  /** Returns a list, in the order of interest. */
  static ExplanationList of(
      ItemResource.Key key, List<ExplanationResource> items, List<String> unread, int hidden) {
    return new ExplanationList(
        KIND,
        key,
        items.stream().sorted(ORDER).toList(),
        unread.isEmpty() ? null : unread,
        hidden == 0 ? null : hidden,
        null,
        null,
        null);
  }

  private static Set<String> labels(Reason... reasons) {
    return Set.copyOf(List.of(reasons).stream().map(Reason::label).toList());
  }

  private static int rank(ExplanationResource one) {
    if (one.item() != null) {
      return 0;
    }
    if (MEANINGLESS.contains(one.reason())) {
      return 2;
    }
    return AT_REST.contains(one.reason()) || one.reason().equals(ItemSlot.NOT_OWNED) ? 1 : 0;
  }

  private static @Nullable Instant when(ExplanationResource one) {
    Instant ofItem = item(one, ItemResource::when);
    return ofItem == null ? one.endedAt() : ofItem;
  }

  private static <T> @Nullable T item(
      ExplanationResource one, Columns.Getter<ItemResource, T> field) {
    return one.item() == null ? null : field.of(one.item());
  }

  @Override
  public ExplanationList marked(String self, boolean isPartial, List<ReplicaState> states) {
    return ExplanationListBuilder.builder(this)
        .replica(self)
        .partial(isPartial || unread != null)
        .replicas(states)
        .build();
  }

  @Override
  public TableResource table(TableRequest request) {
    List<String> warnings = new ArrayList<>();
    if (unread != null && !unread.isEmpty()) {
      warnings.add("No explanation of: " + String.join(", ", unread) + ".");
    }
    if (hidden != null) {
      warnings.add("Left out for want of a right: " + hidden + " controllers.");
    }
    return COLUMNS
        .table(items, request)
        .from(replica, partial, replicas)
        .withWarnings(List.copyOf(warnings));
  }
}
