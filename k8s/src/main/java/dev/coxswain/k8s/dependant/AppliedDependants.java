// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.dependant;

import dev.coxswain.k8s.object.StatusConditions;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Condition;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The dependants of one primary object after {@link Dependants#apply}: as stored where something was
 * written, as observed in the cache otherwise.
 *
 * <p>Thread rule: confined to one attempt.
 */
public final class AppliedDependants {

  /**
   * One dependant.
   *
   * @param object the object; null when none is desired or it has not been recreated yet
   * @param unready its name for messages when it is desired and not ready; otherwise empty
   * @param conflict its name and the fields that were taken from others; otherwise empty
   */
  record State(@Nullable KubernetesObject object, String unready, String conflict) {

    /** None is desired. */
    static final State NONE = new State(null, "", "");

    State withConflict(String value) {
      return new State(object, unready, value);
    }
  }

  private final Map<Dependant<?, ?>, State> states;
  private final @Nullable Long generation;

  AppliedDependants(Map<Dependant<?, ?>, State> states, @Nullable Long generation) {
    this.states = states;
    this.generation = generation;
  }

  /**
   * Returns a dependant; empty when none is desired, or when the one before is still being deleted.
   *
   * @throws IllegalArgumentException when it has not been declared for this controller
   */
  public <D extends KubernetesObject> Optional<D> get(Dependant<?, D> dependant) {
    State state = states.get(dependant);
    if (state == null) {
      throw new IllegalArgumentException(
          "this dependant has not been declared: pass it to Dependants.of(...)");
    }
    return Optional.ofNullable(state.object()).map(dependant.type()::cast);
  }

  /** Returns whether every dependant that is desired is ready. */
  public boolean isReady() {
    return unready().isEmpty();
  }

  /** Returns the dependants that are desired and not ready, such as {@code Deployment default/a}. */
  public List<String> unready() {
    return texts(State::unready);
  }

  /**
   * Returns the dependants with fields that were taken from other field managers in this attempt,
   * each with the server's message, which names both. One that comes again and again is a field that
   * two writers set to different values: leave it out of the desired object, or stop the other one.
   */
  public List<String> conflicts() {
    return texts(State::conflict);
  }

  private List<String> texts(Function<State, String> text) {
    return states.values().stream().map(text).filter(one -> !one.isEmpty()).toList();
  }

  /**
   * Returns {@link #isReady} as a condition of the primary object, for {@link
   * StatusConditions#with}: with the reason {@code DependantsReady} or {@code DependantsNotReady}.
   *
   * @param type the type of the condition, such as {@code Ready}
   */
  public V1Condition condition(String type) {
    return new V1Condition()
        .type(type)
        .status(isReady() ? StatusConditions.TRUE : StatusConditions.FALSE)
        .reason(isReady() ? "DependantsReady" : "DependantsNotReady")
        .message(isReady() ? "" : "not ready: " + String.join(", ", unready()))
        .observedGeneration(generation);
  }
}
