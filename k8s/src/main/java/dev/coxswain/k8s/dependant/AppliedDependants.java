// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.dependant;

import dev.coxswain.k8s.object.StatusConditions;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Condition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
   */
  record State(@Nullable KubernetesObject object, String unready) {}

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
    List<String> names = new ArrayList<>();
    states.values().stream().map(State::unready).filter(one -> !one.isEmpty()).forEach(names::add);
    return names;
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
