// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.attempt;

import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.source.Origin;
import dev.coxswain.view.PastAttempt;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How one attempt ended, or how an operator took the item out of the queue.
 *
 * @param attempt its number in the log; null for an action of an operator
 * @param tookSeconds null for an action of an operator
 * @param readySeconds how long the item was ready before
 * @param tokenSeconds how long it waited for a token; null when it did not
 * @param change the change that caused it
 * @param by the operator that took it out of the queue
 * @param replica the replica that ran it before its slot moved
 */
@RecordBuilder
public record AttemptResource(
    @Nullable Long attempt,
    Instant endedAt,
    String outcome,
    @Nullable Double tookSeconds,
    @Nullable Double readySeconds,
    @Nullable Double tokenSeconds,
    @Nullable String trigger,
    @Nullable Change change,
    @Nullable Integer writes,
    @Nullable String error,
    @Nullable String cause,
    @Nullable String traceId,
    @Nullable String by,
    @Nullable String reason,
    @Nullable String replica) {

  private static final double MICROS = 1e6;

  /**
   * A change of an object that a source has observed.
   *
   * @param parts what changed, such as {@code spec}
   * @param writer the controller of the same replica that wrote it
   */
  public record Change(
      String kind,
      @Nullable String namespace,
      String name,
      List<String> parts,
      @Nullable String writer) {}

  /**
   * Returns the value of one.
   *
   * @param trigger the name of what caused it
   */
  public static AttemptResource of(PastAttempt past, String trigger) {
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
            .trigger(trigger)
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

  private static @Nullable Change change(@Nullable Origin origin) {
    return origin == null || origin.kind().isEmpty()
        ? null
        : new Change(
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
}
