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

  private final Map<Dependant<?, ?>, DependantState> states;
  private final @Nullable Long generation;

  AppliedDependants(Map<Dependant<?, ?>, DependantState> states, @Nullable Long generation) {
    this.states = states;
    this.generation = generation;
  }

  /**
   * Returns a dependant; empty when none is desired, when it does not exist while it waits, or when
   * the one before is still being deleted.
   *
   * @throws IllegalArgumentException when it has not been declared for this controller, or is one of
   *     {@link Dependant#ofMany}
   */
  public <D extends KubernetesObject> Optional<D> get(Dependant<?, D> dependant) {
    if (dependant.isMany()) {
      throw new IllegalArgumentException("this dependant has many objects: use all(...)");
    }
    return all(dependant).stream().findFirst();
  }

  /**
   * Returns the existing objects of a dependant that are desired, in the order of its function.
   *
   * @throws IllegalArgumentException when it has not been declared for this controller
   */
  public <D extends KubernetesObject> List<D> all(Dependant<?, D> dependant) {
    return state(dependant).objects().stream().map(dependant.type()::cast).toList();
  }

  private DependantState state(Dependant<?, ?> dependant) {
    DependantState state = states.get(dependant);
    if (state == null) {
      throw new IllegalArgumentException(
          "this dependant has not been declared: pass it to Dependants.of(...)");
    }
    return state;
  }

  /** Returns whether every dependant that is desired is ready; one that waits is not. */
  public boolean isReady() {
    return states.values().stream().allMatch(DependantState::isReady);
  }

  /** Returns the objects that are desired and not ready, such as {@code Deployment default/a}. */
  public List<String> unready() {
    return each(DependantState::unready);
  }

  /**
   * Returns the dependants that wait and what for, such as {@code Deployment waits for Job
   * default/a}. Nothing of them was written, also when they exist.
   */
  public List<String> waiting() {
    return each(state ->
        state.reason() == DependantState.Reason.WAITING
            ? List.of(state.name() + " " + state.message())
            : List.of());
  }

  /**
   * Returns the objects with fields that were taken from other field managers in this attempt,
   * each with the server's message, which names both. One that comes again and again is a field that
   * two writers set to different values: leave it out of the desired object, or stop the other one.
   */
  public List<String> conflicts() {
    return each(DependantState::conflicts);
  }

  private <T> List<T> each(Function<DependantState, List<T>> part) {
    return states.values().stream().flatMap(state -> part.apply(state).stream()).toList();
  }

  /**
   * Returns {@link #isReady} as a condition of the primary object, for {@link
   * StatusConditions#with}: with the reason {@code DependantsReady} or {@code DependantsNotReady}. The
   * message has the first five of {@link #unready}.
   *
   * @param type the type of the condition, such as {@code Ready}
   */
  public V1Condition condition(String type) {
    return new V1Condition()
        .type(type)
        .status(isReady() ? StatusConditions.TRUE : StatusConditions.FALSE)
        .reason(isReady() ? "DependantsReady" : "DependantsNotReady")
        .message(isReady() ? "" : "not ready: " + DependantState.list(unready()))
        .observedGeneration(generation);
  }

  /**
   * Returns a condition of each declared dependant, in the order of declaration: of the type {@code
   * DatabaseReady} for the {@linkplain Dependant#as name} {@code Database}. True with the reason {@code
   * Applied} when all its objects exist and are ready; otherwise false with {@code NotReady}, {@code
   * Waiting}, {@code Deleting}, or {@code Absent} when none is desired. Messages name at most five
   * objects.
   */
  public List<V1Condition> conditions() {
    return states.values().stream().map(state -> state.condition(generation)).toList();
  }
}
