// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.dependant;

import dev.coxswain.k8s.object.StatusConditions;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One dependant after an attempt.
 *
 * <p>Thread rule: immutable.
 *
 * @param name that of the dependant
 * @param reason what holds for it
 * @param objects those that exist, in the order of the function; none when none is desired
 * @param others names for messages: of the objects that are not ready, of what it waits for, or of
 *     what its deletion waits for
 * @param unready names of the desired objects while it is not ready
 * @param conflicts names and the fields that were taken from others
 */
record DependantState(
    String name,
    Reason reason,
    List<? extends KubernetesObject> objects,
    List<String> others,
    List<String> unready,
    List<String> conflicts) {

  /** The most names in a message, which is stored in a status. */
  private static final int NAMED = 5;

  enum Reason {
    APPLIED("Applied", ""),
    NOT_READY("NotReady", "not ready: "),
    WAITING("Waiting", "waits for "),
    ABSENT("Absent", "none is desired without "),
    DELETING("Deleting", "is deleted after ");

    private final String text;
    private final String message;

    Reason(String text, String message) {
      this.text = text;
      this.message = message;
    }
  }

  /** Returns the state of one that has no objects. */
  static DependantState without(String name, Reason reason, List<String> others) {
    return new DependantState(name, reason, List.of(), others, List.of(), List.of());
  }

  /** Returns whether nothing is to be done: it is ready, or not desired. */
  boolean isReady() {
    return reason != Reason.NOT_READY && reason != Reason.WAITING;
  }

  String message() {
    if (others.isEmpty()) {
      return switch (reason) {
        case ABSENT -> "none is desired";
        case DELETING -> "is being deleted";
        default -> "";
      };
    }
    return reason.message + list(others);
  }

  V1Condition condition(@Nullable Long generation) {
    return new V1Condition()
        .type(name + "Ready")
        .status(reason == Reason.APPLIED ? StatusConditions.TRUE : StatusConditions.FALSE)
        .reason(reason.text)
        .message(message())
        .observedGeneration(generation);
  }

  /** Returns the first ones and the number of the others. */
  static String list(List<String> names) {
    String first = String.join(", ", names.subList(0, Math.min(NAMED, names.size())));
    return names.size() <= NAMED ? first : first + " and " + (names.size() - NAMED) + " more";
  }
}
