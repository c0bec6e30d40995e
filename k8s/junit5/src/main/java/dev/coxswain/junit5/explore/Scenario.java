// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.explore;

import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.k8s.Kubernetes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What happens in the cluster while some controllers run: the objects at the start, and the steps of
 * a user, each after the controllers have come to rest.
 *
 * {@snippet :
 * Scenario scenario =
 *     Scenario.of(new CronController())
 *         .install(definitions)
 *         .apply("a task", task)
 *         .then("it is deleted", k8s -> k8s.resource(CronTask.class).delete(key))
 *         .mayDiffer("CronTask", "status.runs");
 * }
 *
 * <p>A scenario must be deterministic: two runs without a perturbation make the same calls.
 *
 * <p>Thread rule: built by one thread; run by one thread at a time, unless {@link #inParallel}.
 */
public final class Scenario {

  /** How long controllers have after each step, in virtual time. */
  public static final Duration DEFAULT_REST = Duration.ofSeconds(30);

  /** An action of a user. */
  @FunctionalInterface
  public interface Action {
    /**
     * Changes something in the cluster.
     *
     * @param k8s a client of the user, without faults
     * @throws Exception when it cannot; the exploration ends with it
     */
    void run(Kubernetes k8s) throws Exception;
  }

  /**
   * One step.
   *
   * @param name what the user does, for reports
   * @param yaml objects that are applied; empty for none
   * @param action what is done after that
   * @param mayBeEarly whether it makes sense before the controllers have come to rest
   */
  public record Step(String name, String yaml, Action action, boolean mayBeEarly) {}

  private final List<ControllerDefinition> definitions;
  private final List<String> installed = new ArrayList<>();
  private final List<Step> steps = new ArrayList<>();
  private final Map<String, List<String>> different = new HashMap<>();
  private final Set<Perturbation.Kind> kinds = EnumSet.allOf(Perturbation.Kind.class);
  private boolean byNamespace;
  private Map<String, Object> config = Map.of();
  private Duration rest = DEFAULT_REST;
  private int extraWrites = 10;
  private int most = Integer.MAX_VALUE;
  private boolean parallel;

  private Scenario(List<ControllerDefinition> definitions) {
    this.definitions = definitions;
  }

  /** Begins a scenario with these controllers, each with a name of its own. */
  public static Scenario of(ControllerDefinition... definitions) {
    if (definitions.length == 0) {
      throw new IllegalArgumentException("name at least one controller");
    }
    return new Scenario(List.of(definitions));
  }

  /**
   * Applies definitions of resources before the first run. Each run begins with them, also when a
   * step deletes one.
   *
   * @param yaml one or more documents; an exploration refuses two different definitions of one name
   */
  public Scenario install(String yaml) {
    installed.add(yaml);
    return this;
  }

  /**
   * Adds a step that applies objects as {@code kubectl apply --server-side} does: what an earlier
   * step applied and this one lacks is removed, what controllers have added stays.
   */
  public Scenario apply(String name, String yaml) {
    steps.add(new Step(name, yaml, _ -> {}, true));
    return this;
  }

  /** Adds a step. */
  public Scenario then(String name, Action action) {
    steps.add(new Step(name, "", action, true));
    return this;
  }

  /**
   * Adds a step that works with what the controllers have made. Unlike others it never comes early,
   * and every cache has seen everything by then.
   */
  public Scenario whenAtRest(String name, Action action) {
    steps.add(new Step(name, "", action, false));
    return this;
  }

  /** Sets the configuration of the controllers. */
  public Scenario config(Map<String, Object> values) {
    config = Map.copyOf(values);
    return this;
  }

  /** Sets how long controllers have after each step, in virtual time. */
  public Scenario rest(Duration time) {
    if (time.isNegative() || time.isZero()) {
      throw new IllegalArgumentException("the rest must be longer than zero: " + time);
    }
    rest = time;
    return this;
  }

  /**
   * Declares a field that may have another value than in the reference. With {@code metadata.name} the
   * objects of the kind are compared as if their names were generated: their number must be equal.
   *
   * @param kind the kind of the objects
   * @param path names separated by dots, such as {@code status.runs}; everything below is meant too
   */
  public Scenario mayDiffer(String kind, String path) {
    different.computeIfAbsent(kind, _ -> new ArrayList<>()).add(path);
    return this;
  }

  /**
   * Declares that the controllers are for replicas that share the requests by namespace: {@link
   * Perturbation.Kind#SLOT_AWAY} is explored, too. It is not otherwise, since a cache that has not all objects refuses to list
   * them, and a controller that is for one replica may do so.
   */
  public Scenario slotsByNamespace() {
    byNamespace = true;
    return this;
  }

  /** Leaves out perturbations that a controller need not survive. */
  public Scenario without(Perturbation.Kind... some) {
    kinds.removeAll(List.of(some));
    return this;
  }

  /** Leaves out all other kinds of perturbations. */
  public Scenario only(Perturbation.Kind... some) {
    kinds.retainAll(List.of(some));
    return this;
  }

  /**
   * Runs several perturbations at the same time, as many as there are processors, each with an API
   * server of its own. For controllers and steps that share nothing outside of their cluster, such as
   * a list or a counter; several threads call them.
   */
  public Scenario inParallel() {
    parallel = true;
    return this;
  }

  /**
   * Explores at most so many perturbations, of every kind some, chosen at random: for a test that
   * should end sooner than a whole exploration. The report has the seed; {@code -Dcoxswain.seed=N}
   * chooses the same ones again.
   */
  public Scenario atMost(int perturbations) {
    if (perturbations < 1) {
      throw new IllegalArgumentException("explore at least one perturbation: " + perturbations);
    }
    most = perturbations;
    return this;
  }

  /** Sets how many writes a perturbed run may have more than twice those of the reference; 10 at first. */
  public Scenario extraWrites(int count) {
    extraWrites = count;
    return this;
  }

  /** Returns the controllers. */
  public List<ControllerDefinition> definitions() {
    return definitions;
  }

  /** Returns the definitions of resources. */
  public List<String> installed() {
    return List.copyOf(installed);
  }

  /** Returns the steps. */
  public List<Step> steps() {
    return List.copyOf(steps);
  }

  /** Returns the paths of a kind that may differ. */
  public List<String> mayDiffer(String kind) {
    return different.getOrDefault(kind, List.of());
  }

  /** Returns the kinds of perturbations. */
  public Set<Perturbation.Kind> kinds() {
    Set<Perturbation.Kind> all = EnumSet.noneOf(Perturbation.Kind.class);
    all.addAll(kinds);
    if (!byNamespace) {
      all.remove(Perturbation.Kind.SLOT_AWAY);
    }
    return Set.copyOf(all);
  }

  /** Returns the configuration of the controllers. */
  public Map<String, Object> config() {
    return config;
  }

  /** Returns how long controllers have after each step. */
  public Duration rest() {
    return rest;
  }

  /** Returns whether several perturbations may run at the same time. */
  public boolean isParallel() {
    return parallel;
  }

  /** Returns how many perturbations are explored at most. */
  public int most() {
    return most;
  }

  /** Returns how many writes a perturbed run may have more than twice those of the reference. */
  public int extraWrites() {
    return extraWrites;
  }
}
