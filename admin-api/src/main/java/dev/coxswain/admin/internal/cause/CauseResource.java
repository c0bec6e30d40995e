// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cause;

import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.model.ItemResource;
import dev.coxswain.admin.internal.table.Columns;
import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.admin.internal.table.TableResource;
import dev.coxswain.admin.internal.table.TableValue;
import dev.coxswain.admin.internal.value.MergedValue;
import dev.coxswain.admin.internal.value.ReplicaState;
import dev.coxswain.view.CauseSnapshot;
import dev.coxswain.view.ControllerStatus;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cause of failures of one controller, with the counts of all replicas that answered.
 *
 * @param kind null in a list
 * @param share the part of the failing items of its controller that fail of it, from 0 to 1; null in
 *     the response of one replica
 * @param error the class of the exception and its message without variable parts
 * @param types the classes of the exception and of what caused it
 * @param where the first method of the author's code
 * @param trend the failures of the last hour, in steps of five minutes, the oldest first
 * @param versions the versions of the plug-in that have failed of it, each as the first digits of its
 *     digest; null for a controller that is of no plug-in
 * @param stack only in a read of this one cause
 * @param pause why its items are not retried; null when they are
 */
@RecordBuilder
public record CauseResource(
    @Nullable String kind,
    String id,
    String controller,
    long items,
    @Nullable Double share,
    long failures,
    Instant firstSeen,
    Instant lastSeen,
    List<Integer> trend,
    String error,
    List<String> types,
    String where,
    List<Sample> samples,
    @Nullable List<String> versions,
    @Nullable String stack,
    @Nullable Pause pause,
    @Nullable String replica,
    @Nullable Boolean partial,
    @Nullable List<ReplicaState> replicas)
    implements MergedValue, TableValue, CauseResourceBuilder.With {

  public static final String KIND = "Cause";

  /** Those of the most items first, then those that were seen last. */
  static final Comparator<CauseResource> ORDER =
      Comparator.comparingLong(CauseResource::items)
          .thenComparing(CauseResource::lastSeen)
          .reversed()
          .thenComparing(CauseResource::controller)
          .thenComparing(CauseResource::id);

  private static final int MAX_SAMPLES = 5;
  private static final int MAX_VERSIONS = 16;
  private static final int PERCENT = 100;

  public static final Columns<CauseResource> COLUMNS =
      Columns.of(CauseResource::id)
          .name("CAUSE", "Its id.", CauseResource::id)
          .text("CONTROLLER", "Its controller.", CauseResource::controller)
          .integer("ITEMS", "How many items fail of it now.", CauseResource::items)
          .text("SHARE", "Its part of the failing items of its controller.", CauseResource::percent)
          .integer("FAILURES", "How many attempts have failed of it.", CauseResource::failures)
          .age("LAST SEEN", "When an attempt has failed of it last.", CauseResource::lastSeen)
          .age("FIRST SEEN", "When an attempt has failed of it first.", CauseResource::firstSeen)
          .text("PAUSED", "Until when its items are not retried.", CauseResource::pausedUntil)
          .message("ERROR", "The error, without variable parts.", CauseResource::error)
          .wide()
          .text("WHERE", "The first method of the author's code.", CauseResource::where)
          .text("SAMPLE", "One of its objects.", CauseResource::firstSample)
          .text(
              "VERSIONS",
              "The versions of the plug-in that have failed of it.",
              CauseResource::allVersions)
          .build();

  /**
   * A stop of the retries of what has failed of a cause.
   *
   * @param by the actor
   */
  public record Pause(String reason, String by, Instant since, @Nullable Instant until) {

    private static final int MAX_REASON = 512;

    static @Nullable Pause of(ControllerStatus.@Nullable Pause pause) {
      return pause == null
          ? null
          : new Pause(
              Json.line(pause.reason(), MAX_REASON), pause.by(), pause.since(), pause.until());
    }
  }

  /** An object that has failed of a cause. */
  public record Sample(String id, ItemResource.Key key) {}

  private @Nullable String percent() {
    if (share == null) {
      return null;
    }
    long percent = Math.round(share * PERCENT);
    return percent == 0 && items > 0 ? "<1%" : percent + "%";
  }

  private @Nullable String pausedUntil() {
    return pause == null
        ? null
        : pause.until() == null ? "until resumed" : "until " + Durations.shown(pause.until());
  }

  private @Nullable String allVersions() {
    return versions == null ? null : String.join(",", versions);
  }

  private @Nullable String firstSample() {
    return samples.isEmpty()
        ? null
        : samples.getFirst().key().namespace() + "/" + samples.getFirst().key().name();
  }

  /** Returns the cause for another replica that adds it up: with one sample, and no trend of zeros. */
  CauseResource shortened() {
    return CauseResourceBuilder.builder(this)
        .samples(samples.stream().limit(1).toList())
        .trend(trend.stream().allMatch(value -> value == 0) ? List.of() : trend)
        .build();
  }

  /** Returns the cause for a client. */
  CauseResource completed() {
    return trend.isEmpty() ? withTrend(Collections.nCopies(CauseSnapshot.TREND_STEPS, 0)) : this;
  }

  /** Returns the cause with the counts of another replica added. */
  public CauseResource plus(CauseResource other) {
    List<Sample> all =
        Stream.concat(samples.stream(), other.samples.stream())
            .distinct()
            .limit(MAX_SAMPLES)
            .toList();
    return CauseResourceBuilder.builder(this)
        .items(items + other.items)
        .failures(failures + other.failures)
        .firstSeen(firstSeen.isBefore(other.firstSeen) ? firstSeen : other.firstSeen)
        .lastSeen(lastSeen.isAfter(other.lastSeen) ? lastSeen : other.lastSeen)
        .trend(sums(trend, other.trend))
        .samples(all)
        .versions(all(versions, other.versions))
        .stack(stack == null ? other.stack : stack)
        .pause(pause == null ? other.pause : pause)
        .build();
  }

  private static @Nullable List<String> all(
      @Nullable List<String> one, @Nullable List<String> other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return Stream.concat(one.stream(), other.stream())
        .distinct()
        .sorted()
        .limit(MAX_VERSIONS)
        .toList();
  }

  private static List<Integer> sums(List<Integer> one, List<Integer> other) {
    if (one.isEmpty() || other.isEmpty()) {
      return one.isEmpty() ? other : one;
    }
    return IntStream.range(0, Math.min(one.size(), other.size()))
        .mapToObj(i -> one.get(i) + other.get(i))
        .toList();
  }

  @Override
  public CauseResource marked(String self, boolean isPartial, List<ReplicaState> states) {
    return CauseResourceBuilder.builder(this)
        .replica(self)
        .partial(isPartial)
        .replicas(states)
        .build();
  }

  @Override
  public TableResource table(TableRequest request) {
    return COLUMNS.table(this, request).from(replica, partial, replicas);
  }
}
