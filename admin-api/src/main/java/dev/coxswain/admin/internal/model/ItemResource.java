// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.model;

import dev.coxswain.admin.internal.table.Columns;
import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.admin.internal.table.TableResource;
import dev.coxswain.admin.internal.table.TableValue;
import dev.coxswain.admin.internal.value.CopiedValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import dev.coxswain.admin.internal.value.RevisedValue;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A tracked item. In lists, components that were not requested are null.
 *
 * @param kind null inside of another value, as {@code controller}
 * @param readyAt of a ready or delayed item
 * @param waitingSince of an item that waits for a token
 * @param startedAt of an item in flight
 * @param failedAt of an item with a terminal failure
 * @param held true while it is not retried because its cause is paused; null otherwise
 * @param cause the id of the cause of the last failure
 * @param rev its revision, for If-Match
 * @param lastErrorStack only in a read of this one item
 * @param replica the replica that tracks it; null in the response of one replica
 * @param copies the same item on other replicas that track it, too
 */
@RecordBuilder
public record ItemResource(
    @Nullable String kind,
    @Nullable String controller,
    @Nullable String replica,
    @Nullable String id,
    @Nullable Key key,
    @Nullable String phase,
    @Nullable Integer failures,
    @Nullable Boolean failing,
    @Nullable Boolean dirty,
    @Nullable Boolean overdue,
    @Nullable Boolean held,
    @Nullable Integer priority,
    @Nullable String trigger,
    @Nullable Instant readyAt,
    @Nullable Instant waitingSince,
    @Nullable Instant startedAt,
    @Nullable Instant failedAt,
    @Nullable Instant notBefore,
    @Nullable String lastError,
    @Nullable Instant lastErrorAt,
    @Nullable String cause,
    @Nullable Long seq,
    @Nullable String rev,
    @Nullable String lastErrorStack,
    @Nullable Boolean partial,
    @Nullable List<ReplicaState> replicas,
    @Nullable List<ItemResource> copies)
    implements CopiedValue<ItemResource>, RevisedValue, TableValue, ItemResourceBuilder.With {

  public static final String KIND = "Item";

  /** The column that lists of several replicas always show: their items look alike without it. */
  static final String REPLICA = "REPLICA";

  static final Columns<ItemResource> COLUMNS =
      Columns.of(ItemResource::keyText)
          .namespace("NAMESPACE", "The namespace of its key.", ItemResource::namespace)
          .name("NAME", "The name of its key.", one -> one.key() == null ? null : one.key().name())
          .text(
              "PHASE", "Its phase, and whether it is dirty, overdue or held.", ItemResource::phases)
          .integer("FAILURES", "How often it has failed in a row.", ItemResource::failures)
          .relative("WHEN", "When it is due, or since when it is in its phase.", ItemResource::when)
          .message("LAST ERROR", "The error of the last failure.", ItemResource::lastError)
          .wide()
          .text("TRIGGER", "What added it last.", ItemResource::trigger)
          .integer("PRIORITY", "Its priority.", ItemResource::priority)
          .text("CAUSE", "The id of the cause of the last failure.", ItemResource::cause)
          .text(REPLICA, "The replica that tracks it.", ItemResource::replica)
          .text("REV", "Its revision, for If-Match.", ItemResource::rev)
          .text("ID", "Its id, for paths.", ItemResource::id)
          .build();

  /** The key of an item. */
  public record Key(String namespace, String name) {}

  /** Returns the item with some of its fields only. */
  public ItemResource only(Set<String> fields) {
    ItemResourceBuilder some = ItemResourceBuilder.builder();
    for (String field : fields) {
      switch (field) {
        case "id" -> some.id(id);
        case "key" -> some.key(key);
        case "phase" -> some.phase(phase);
        case "failures" -> some.failures(failures);
        case "failing" -> some.failing(failing);
        case "dirty" -> some.dirty(dirty);
        case "overdue" -> some.overdue(overdue);
        case "held" -> some.held(held);
        case "priority" -> some.priority(priority);
        case "trigger" -> some.trigger(trigger);
        case "readyAt" -> some.readyAt(readyAt);
        case "waitingSince" -> some.waitingSince(waitingSince);
        case "startedAt" -> some.startedAt(startedAt);
        case "failedAt" -> some.failedAt(failedAt);
        case "notBefore" -> some.notBefore(notBefore);
        case "lastError" -> some.lastError(lastError);
        case "lastErrorAt" -> some.lastErrorAt(lastErrorAt);
        case "cause" -> some.cause(cause);
        case "seq" -> some.seq(seq);
        case "rev" -> some.rev(rev);
        default -> throw new IllegalArgumentException(field);
      }
    }
    return some.build();
  }

  private @Nullable String namespace() {
    return key == null ? null : key.namespace();
  }

  private String keyText() {
    return key == null ? "" : key.namespace() + "/" + key.name();
  }

  private String phases() {
    return (phase == null ? "" : phase)
        + (Boolean.TRUE.equals(dirty) ? ",dirty" : "")
        + (Boolean.TRUE.equals(overdue) ? ",overdue" : "")
        + (Boolean.TRUE.equals(held) ? ",held" : "");
  }

  /** Returns when it is due, or since when it is in its phase. */
  public @Nullable Instant when() {
    return Stream.of(startedAt, waitingSince, readyAt, failedAt)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  @Override
  public TableResource table(TableRequest request) {
    return COLUMNS.table(this, request).from(replica, partial, replicas);
  }

  @Override
  public ItemResource at(String name) {
    return withReplica(name);
  }

  @Override
  public ItemResource and(List<ItemResource> others) {
    return withCopies(others);
  }

  @Override
  public ItemResource marked(String self, boolean isPartial, List<ReplicaState> states) {
    return ItemResourceBuilder.builder(this)
        .replica(replica == null ? self : replica)
        .partial(isPartial)
        .replicas(states)
        .build();
  }
}
