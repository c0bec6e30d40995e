// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.change;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.undo.LimitState;
import dev.coxswain.admin.internal.undo.PauseState;
import dev.coxswain.admin.internal.undo.Undo;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The states before and after a change, of each replica that has recorded them. Immutable.
 *
 * @param parts at least one; each names its replica
 */
record UndoParts(ChangeKind kind, List<Undo.Part> parts) {

  /** Returns those of a change; empty when no replica has recorded both states. */
  static Optional<UndoParts> of(ChangeGroup change) {
    ChangeKind kind = change.kind().orElse(null);
    if (kind == null) {
      return Optional.empty();
    }
    String field =
        switch (kind) {
          case PAUSE -> "pause";
          case CONCURRENCY -> "maxConcurrent";
          case LIMIT -> "limit";
        };
    List<Undo.Part> parts = new ArrayList<>();
    for (Map.Entry<String, JsonNode> one : change.changes().entrySet()) {
      JsonNode before = one.getValue().get(field + "Before");
      JsonNode after = one.getValue().get(field);
      if (before != null && after != null && isValid(kind, before) && isValid(kind, after)) {
        parts.add(new Undo.Part(one.getKey(), after, before));
      }
    }
    return parts.isEmpty() ? Optional.empty() : Optional.of(new UndoParts(kind, parts));
  }

  /** Whether a state has the form of its kind; records can be changed by hand. */
  private static boolean isValid(ChangeKind kind, JsonNode state) {
    try {
      return switch (kind) {
        case PAUSE -> state.isNull() || !Json.value(state, PauseState.class).by().isEmpty();
        case CONCURRENCY -> state.isInt();
        case LIMIT -> state.isObject() && Json.value(state, LimitState.class).rate() >= 0;
      };
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Returns the part that is the same for all replicas. */
  Undo.Part common() {
    return new Undo.Part(null, parts.getFirst().expected(), parts.getFirst().restored());
  }

  @Nullable PauseState pauseBefore() {
    return common().restoredAs(PauseState.class);
  }

  @Nullable PauseState pauseAfter() {
    return common().expectedAs(PauseState.class);
  }

  /** Returns the limit before; there is one for a change of a limiter. */
  LimitState limitBefore() {
    return Json.value(Objects.requireNonNull(common().restored()), LimitState.class);
  }

  private LimitState limitAfter() {
    return Json.value(Objects.requireNonNull(common().expected()), LimitState.class);
  }

  ChangeState shownBefore() {
    return state(common().restored());
  }

  ChangeState shownAfter() {
    return state(common().expected());
  }

  private ChangeState state(@Nullable JsonNode state) {
    return switch (kind) {
      case PAUSE -> ChangeState.of(new Undo.Part(null, state, null).expectedAs(PauseState.class));
      case LIMIT -> ChangeState.of(Json.value(Objects.requireNonNull(state), LimitState.class));
      case CONCURRENCY -> ChangeState.of(number(state));
    };
  }

  /** Returns the states before and after in words; several when they differ between replicas. */
  String words() {
    return parts.stream()
        .map(part -> state(part.restored()).brief() + " -> " + state(part.expected()).brief())
        .distinct()
        .collect(Collectors.joining("; "));
  }

  static int number(@Nullable JsonNode state) {
    return state == null ? 0 : state.asInt();
  }

  /**
   * Returns why nothing is left to undo at a time: what was set has ended, or what was there before
   * would have. Null when something is left.
   */
  @Nullable String ended(Instant now) {
    return switch (kind) {
      case CONCURRENCY -> null;
      case PAUSE -> {
        PauseState after = pauseAfter();
        PauseState before = pauseBefore();
        if (after != null && after.isOver(now)) {
          yield "The pause has ended at " + shown(after.until()) + ".";
        }
        yield after == null && before != null && before.isOver(now)
            ? "The pause before it would have ended at " + shown(before.until()) + "."
            : null;
      }
      case LIMIT -> {
        if (limitAfter().isOver(now)) {
          yield "The override has ended at " + shown(limitAfter().until()) + ".";
        }
        yield limitAfter().until() == null && limitBefore().isOver(now)
            ? "The override before it would have ended at " + shown(limitBefore().until()) + "."
            : null;
      }
    };
  }

  private static String shown(@Nullable Instant time) {
    return time == null ? "" : String.valueOf(Durations.shown(time));
  }
}
