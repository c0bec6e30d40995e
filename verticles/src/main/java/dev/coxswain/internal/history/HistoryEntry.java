// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.history;

import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.Origin;
import dev.coxswain.view.PastAttempt;
import dev.coxswain.view.PastAttempt.Outcome;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One past attempt of a request, or its removal by an operator: 56 bytes with compact headers, and
 * 24 more beside its texts when it failed, was traced or was a removal.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
public final class HistoryEntry<K> {
  private static final Outcome[] OUTCOMES = Outcome.values();
  private static final Trigger[] TRIGGERS = Trigger.values();
  private static final int MOST_WRITES = 255;
  private static final double NANOS = 1e9;

  /** The maximum length of an error or a reason. */
  private static final int MAX_TEXT = 200;

  /**
   * What few entries have.
   *
   * @param error the failure, or the reason of a removal
   * @param cause the cause of the failure, or who removed it
   * @param traceId empty without one
   * @param replica the replica that ran it, null for this one
   */
  record Texts(
      @Nullable String error, @Nullable String cause, String traceId, @Nullable String replica) {}

  final K key;

  /** When it ended, in milliseconds of the time of day: times of other replicas come with slots. */
  final long at;

  private final long attempt;
  private final float took;
  private final float ready;
  private final float token;
  private final byte outcome;
  private final byte trigger;
  private final byte writes;

  /** The number of attempts since the last failure that is kept, this one included; 0 for one. */
  byte sinceFailure;

  private final @Nullable Origin origin;
  private final @Nullable Texts texts;

  /** The one before it, of the same request. */
  @Nullable HistoryEntry<K> older;

  private HistoryEntry(
      K key,
      long at,
      long attempt,
      float took,
      float ready,
      float token,
      Outcome outcome,
      Trigger trigger,
      int writes,
      @Nullable Origin origin,
      @Nullable Texts texts) {
    this.key = key;
    this.at = at;
    this.attempt = attempt;
    this.took = took;
    this.ready = ready;
    this.token = token;
    this.outcome = (byte) outcome.ordinal();
    this.trigger = (byte) trigger.ordinal();
    this.writes = (byte) Math.min(MOST_WRITES, writes);
    this.origin = origin;
    this.texts = texts;
  }

  /** Returns the entry of an attempt that has ended here. */
  public static <K> HistoryEntry<K> attempt(
      K key,
      long at,
      long attempt,
      Times nanos,
      Outcome outcome,
      Trigger trigger,
      int writes,
      @Nullable Origin origin,
      @Nullable String error,
      @Nullable String cause,
      String traceId) {
    return new HistoryEntry<>(
        key,
        at,
        attempt,
        (float) (nanos.took / NANOS),
        (float) (nanos.ready / NANOS),
        (float) (nanos.token / NANOS),
        outcome,
        trigger,
        writes,
        origin == null || origin.kind().isEmpty() ? null : origin, // a trace has its id
        texts(error, cause, traceId, null));
  }

  /** How long an attempt took, and its request waited before, in nanoseconds. */
  public record Times(long took, long ready, long token) {}

  /**
   * The removal of a request by an operator.
   *
   * @param flushed whether by a bulk flush, otherwise by a single drop
   * @param by the actor, empty when not given
   * @param reason the reason that the actor gave, empty without one
   */
  public record Removal(boolean flushed, String by, String reason) {}

  /** Returns the entry of a removal at a time in milliseconds. */
  public static <K> HistoryEntry<K> removal(K key, long at, Removal removal) {
    return new HistoryEntry<>(
        key,
        at,
        0,
        0,
        0,
        0,
        removal.flushed ? Outcome.FLUSHED : Outcome.DROPPED,
        Trigger.OPERATOR,
        0,
        null,
        texts(removal.reason, removal.by, "", null));
  }

  /** Returns the entry of what has a view. */
  static <K> HistoryEntry<K> of(K key, PastAttempt past) {
    boolean removed = past.outcome().removed();
    return new HistoryEntry<>(
        key,
        past.endedAt().toEpochMilli(),
        past.attempt(),
        seconds(past.took()),
        seconds(past.ready()),
        seconds(past.token()),
        past.outcome(),
        past.trigger(),
        past.writes(),
        past.origin(),
        texts(
            removed ? past.reason() : past.error(),
            removed ? past.by() : past.cause(),
            past.traceId(),
            past.replica()));
  }

  private static @Nullable Texts texts(
      @Nullable String error, @Nullable String cause, String traceId, @Nullable String replica) {
    return error == null && cause == null && traceId.isEmpty() && replica == null
        ? null
        : new Texts(cut(error), cause, traceId, replica);
  }

  private static @Nullable String cut(@Nullable String text) {
    return text == null || text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
  }

  private static float seconds(Duration duration) {
    return (float) (duration.getSeconds() + duration.getNano() / NANOS);
  }

  private static Duration duration(float seconds) {
    return Duration.ofNanos((long) (seconds * NANOS));
  }

  /** Returns its request. */
  public K key() {
    return key;
  }

  /** Returns when it ended, in milliseconds. */
  public long endedAt() {
    return at;
  }

  /** Returns whether neither it nor one before it has failed. */
  public boolean isPlain() {
    return older == null && !outcome().failed();
  }

  Outcome outcome() {
    return OUTCOMES[outcome];
  }

  /** Returns it for display. */
  PastAttempt view() {
    boolean removed = outcome().removed();
    String error = texts == null ? null : texts.error();
    String cause = texts == null ? null : texts.cause();
    return new PastAttempt(
        attempt,
        Instant.ofEpochMilli(at),
        duration(took),
        duration(ready),
        duration(token),
        outcome(),
        TRIGGERS[trigger],
        origin,
        Byte.toUnsignedInt(writes),
        removed ? null : error,
        removed ? null : cause,
        texts == null ? "" : texts.traceId(),
        removed ? cause : null,
        removed ? error : null,
        texts == null ? null : texts.replica());
  }
}
