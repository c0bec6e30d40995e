// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import dev.coxswain.admin.internal.attempt.AttemptResource;
import dev.coxswain.admin.internal.attempt.AttemptResourceBuilder;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.model.ExplanationResource;
import dev.coxswain.admin.internal.model.ExplanationResourceBuilder;
import dev.coxswain.admin.internal.model.ItemResource;
import dev.coxswain.admin.internal.model.ItemResourceBuilder;
import dev.coxswain.admin.internal.slot.ItemSlot;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.Origin;
import dev.coxswain.view.Explanation;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.PastAttempt;
import dev.coxswain.view.QueuedItem;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The values of items. */
public final class ItemView {

  /** The names of all fields, in their order in the JSON. */
  public static final Set<String> FIELDS =
      Collections.unmodifiableSet(
          new LinkedHashSet<>(
              List.of(
                  "id",
                  "key",
                  "phase",
                  "failures",
                  "failing",
                  "dirty",
                  "overdue",
                  "held",
                  "priority",
                  "trigger",
                  "readyAt",
                  "waitingSince",
                  "startedAt",
                  "failedAt",
                  "notBefore",
                  "lastError",
                  "lastErrorAt",
                  "cause",
                  "seq",
                  "rev")));

  private static final double MICROS = 1e6;

  private ItemView() {}

  /** Returns some fields of an item; all of them for null. */
  static ItemResource item(QueuedItem item, @Nullable Set<String> fields) {
    ItemResource whole = item(item);
    return fields == null ? whole : whole.only(fields);
  }

  static ItemResource item(QueuedItem item) {
    ItemResourceBuilder shown =
        ItemResourceBuilder.builder()
            .id(item.id())
            .key(new ItemResource.Key(item.namespace(), item.name()))
            .phase(item.phase().label())
            .failures(item.failures())
            .failing(item.failing())
            .dirty(item.dirty())
            .overdue(item.overdue())
            .held(item.held() ? true : null)
            .priority(item.priority())
            .trigger(trigger(item.trigger()))
            .notBefore(item.notBefore())
            .lastError(
                item.lastError() == null ? null : Json.line(item.lastError(), Json.MAX_ERROR_TEXT))
            .lastErrorAt(item.lastErrorAt())
            .cause(item.cause())
            .seq(item.seq())
            .rev(rev(item));
    switch (item.phase()) {
      case READY -> shown.readyAt(item.since());
      case DELAYED -> shown.readyAt(item.nextAttemptAt());
      case WAITING_TOKEN -> shown.waitingSince(item.since());
      case IN_FLIGHT -> shown.startedAt(item.since());
      case TERMINAL -> shown.failedAt(item.since());
    }
    return shown.build();
  }

  /**
   * Returns an item with its stack trace: for reads of this one item, not for lists and responses
   * to changes.
   */
  static ItemResource whole(QueuedItem item) {
    return item(item).withLastErrorStack(item.lastErrorStack());
  }

  /** The state of an item that a request conflicts with. */
  record Current(String phase, String rev) {}

  static Current current(QueuedItem item) {
    return new Current(item.phase().label(), rev(item));
  }

  static String rev(QueuedItem item) {
    return Long.toString(item.rev());
  }

  static String trigger(Trigger trigger) {
    return switch (trigger) {
      case EVENT -> "event";
      case INITIAL_LIST -> "initialList";
      case RESYNC -> "resync";
      case RETRY -> "retry";
      case REQUEUE_AFTER -> "requeueAfter";
      case OPERATOR -> "operator";
      case ACQUIRED -> "acquired";
    };
  }

  /**
   * Returns the explanation of an item.
   *
   * @param syncing whether the controller may not have received the item yet
   */
  static ExplanationResource explanation(
      String controller, ItemId id, Explanation why, boolean syncing) {
    QueuedItem item = why.item();
    return of(controller, id)
        .reason(why.reason().label())
        .message(why.message())
        .position(why.position() > 0 ? why.position() : null)
        .of(why.position() > 0 ? why.of() : null)
        .expectedStart(why.expectedStart())
        .endedAt(why.endedAt())
        .endedBy(why.endedBy())
        .conditions(why.conditions())
        .attempts(why.attempts().stream().map(ItemView::attempt).toList())
        .item(item == null ? null : whole(item))
        .isSyncing((syncing && item == null) ? true : null)
        .build();
  }

  private static AttemptResource attempt(PastAttempt past) {
    AttemptResourceBuilder shown =
        AttemptResourceBuilder.builder()
            .endedAt(past.endedAt())
            .outcome(past.outcome().label())
            .replica(past.replica());
    return past.outcome().removed()
        ? shown.by(given(past.by())).reason(line(given(past.reason()))).build()
        : shown
            .attempt(past.attempt())
            .tookSeconds(seconds(past.took()))
            .readySeconds(seconds(past.ready()))
            .tokenSeconds(past.token().isZero() ? null : (Double) seconds(past.token()))
            .trigger(trigger(past.trigger()))
            .change(change(past.origin()))
            .writes(past.writes())
            .error(line(past.error()))
            .cause(past.cause())
            .traceId(given(past.traceId()))
            .build();
  }

  private static double seconds(Duration duration) {
    return Math.round(duration.toNanos() / 1e3) / MICROS;
  }

  private static AttemptResource.@Nullable Change change(@Nullable Origin origin) {
    return origin == null || origin.kind().isEmpty()
        ? null
        : new AttemptResource.Change(
            origin.kind(),
            given(origin.namespace()),
            origin.name(),
            origin.changes().stream()
                .map(one -> one.name().toLowerCase(Locale.ROOT))
                .sorted()
                .toList(),
            given(origin.writer()));
  }

  private static @Nullable String given(@Nullable String text) {
    return text == null || text.isEmpty() ? null : text;
  }

  private static @Nullable String line(@Nullable String text) {
    return text == null ? null : Json.line(text, Json.MAX_ERROR_TEXT);
  }

  private static ExplanationResourceBuilder of(String controller, ItemId id) {
    return ExplanationResourceBuilder.builder()
        .kind("Explanation")
        .controller(controller)
        .id(id.encoded())
        .key(new ItemResource.Key(id.namespace(), id.name()))
        .conditions(List.of())
        .attempts(List.of());
  }

  /**
   * Returns an explanation with the owner of the item, and what the slot means for its start.
   *
   * @param sharded whether a replica tracks the item only as the owner
   */
  static ExplanationResource withSlot(ExplanationResource why, ItemSlot slot, boolean sharded) {
    ExplanationResourceBuilder whole =
        ExplanationResourceBuilder.builder(why).slot(slot.shown().orElse(null));
    if (why.item() == null && sharded && !slot.isComplete()) {
      whole
          .reason(slot.isOwned() ? ItemSlot.NOT_OWNED : ItemSlot.UNOWNED)
          .message(slot.isOwned() ? elsewhere(slot) : awaited(slot));
    } else {
      whole.message(why.message() + " " + slot.sentence());
    }
    return whole
        .conditions(Stream.concat(why.conditions().stream(), slot.blocker().stream()).toList())
        .build();
  }

  private static String awaited(ItemSlot slot) {
    return slot.sentence() + " It is reconciled when a replica has taken the slot over.";
  }

  private static String elsewhere(ItemSlot slot) {
    return slot.sentence() + " Only its owner has this request.";
  }

  /** Returns the explanation of an item whose slot another replica has. */
  public static ExplanationResource notOwned(String controller, ItemId id, ItemSlot slot) {
    return without(controller, id, ItemSlot.NOT_OWNED, elsewhere(slot))
        .withSlot(slot.shown().orElse(null));
  }

  /** Returns an explanation that no controller has given, such as of an id that it cannot have. */
  public static ExplanationResource without(
      String controller, ItemId id, String reason, String message) {
    return of(controller, id).reason(reason).message(message).build();
  }

  /** Returns the explanation of an item whose slot has no owner. */
  public static ExplanationResource unowned(String controller, ItemId id, ItemSlot slot) {
    return without(controller, id, ItemSlot.UNOWNED, awaited(slot))
        .withSlot(slot.shown().orElse(null));
  }
}
