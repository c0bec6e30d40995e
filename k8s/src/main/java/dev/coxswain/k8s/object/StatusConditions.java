// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.object;

import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1Condition;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The conditions in the status of an object: at most one of each type. Lists and conditions are not
 * changed, so they may be parts of records.
 *
 * <p>Thread rule: any thread; stateless.
 */
public final class StatusConditions {

  /** The status of a condition that holds. */
  public static final String TRUE = "True";

  /** The status of a condition that does not hold. */
  public static final String FALSE = "False";

  /** The status of a condition of which it is not known whether it holds. */
  public static final String UNKNOWN = "Unknown";

  private StatusConditions() {}

  /** Returns the condition of a type. */
  public static Optional<V1Condition> find(@Nullable List<V1Condition> conditions, String type) {
    return orEmpty(conditions).stream().filter(one -> one.getType().equals(type)).findFirst();
  }

  /** Returns whether the condition of a type exists and holds. */
  public static boolean isTrue(@Nullable List<V1Condition> conditions, String type) {
    return find(conditions, type).filter(one -> TRUE.equals(one.getStatus())).isPresent();
  }

  /**
   * Returns the conditions with this one in the place of that of its type, or at the end. The time
   * of its last transition changes only when its status does: to its own time, or to now without
   * one. Equal conditions lead to an equal list, so that nothing need be written.
   *
   * @param conditions the present ones; null for none
   * @param wanted with type, status and reason
   * @param clock the time
   * @throws IllegalArgumentException when type, status or reason are missing or the status is none
   *     of the three
   */
  public static List<V1Condition> with(
      @Nullable List<V1Condition> conditions, V1Condition wanted, Clock clock) {
    requireComplete(wanted);
    List<V1Condition> all = new ArrayList<>(orEmpty(conditions));
    int at = 0;
    while (at < all.size() && !all.get(at).getType().equals(wanted.getType())) {
      at++;
    }
    V1Condition before = at < all.size() ? all.get(at) : null;
    V1Condition after =
        new V1Condition()
            .type(wanted.getType())
            .status(wanted.getStatus())
            .reason(wanted.getReason())
            .message(wanted.getMessage() == null ? "" : wanted.getMessage())
            .observedGeneration(wanted.getObservedGeneration())
            .lastTransitionTime(transition(before, wanted, clock));
    if (before == null) {
      all.add(after);
    } else {
      all.set(at, after);
    }
    return List.copyOf(all);
  }

  /** Returns the conditions with several, one after the other; see {@link #with(List, V1Condition, Clock)}. */
  public static List<V1Condition> with(
      @Nullable List<V1Condition> conditions, List<V1Condition> wanted, Clock clock) {
    List<V1Condition> all = orEmpty(conditions);
    for (V1Condition one : wanted) {
      all = with(all, one, clock);
    }
    return all;
  }

  /** Returns the conditions without that of a type. */
  public static List<V1Condition> without(@Nullable List<V1Condition> conditions, String type) {
    return orEmpty(conditions).stream().filter(one -> !one.getType().equals(type)).toList();
  }

  private static OffsetDateTime transition(
      @Nullable V1Condition before, V1Condition wanted, Clock clock) {
    if (before != null
        && Objects.equals(before.getStatus(), wanted.getStatus())
        && before.getLastTransitionTime() != null) {
      return before.getLastTransitionTime();
    }
    OffsetDateTime own = wanted.getLastTransitionTime();
    // In seconds, as the API server stores times of its own kinds.
    return own != null
        ? own
        : clock.instant().truncatedTo(ChronoUnit.SECONDS).atOffset(ZoneOffset.UTC);
  }

  private static void requireComplete(V1Condition wanted) {
    if (isEmpty(wanted.getType())
        || isEmpty(wanted.getReason())
        || !List.of(TRUE, FALSE, UNKNOWN).contains(String.valueOf(wanted.getStatus()))) {
      throw new IllegalArgumentException(
          "a condition needs a type, a reason and the status True, False or Unknown, found type \""
              + wanted.getType()
              + "\", reason \""
              + wanted.getReason()
              + "\" and status \""
              + wanted.getStatus()
              + "\"");
    }
  }

  private static boolean isEmpty(@Nullable String text) {
    return text == null || text.isEmpty();
  }

  private static List<V1Condition> orEmpty(@Nullable List<V1Condition> conditions) {
    return conditions == null ? List.of() : conditions;
  }
}
