// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.search;

import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.junit5.explore.Scenario.Step;
import dev.coxswain.junit5.internal.run.RunDriver;
import dev.coxswain.junit5.internal.run.RunTally.RunawayException;
import dev.coxswain.junit5.internal.run.TestServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One run of a scenario.
 *
 * <p>Thread rule: one thread.
 */
final class ScenarioRun {

  private final TestServer server;
  private final Scenario scenario;
  private final PerturbedPolicy policy;
  private final RunDriver driver;
  private final Course course;
  private final SortedMap<Integer, ClusterState> rests = new TreeMap<>();
  private final List<String> failing = new ArrayList<>();
  private int stepsDone;

  private ScenarioRun(TestServer server, Scenario scenario, PerturbedPolicy policy, Course course) {
    this.server = server;
    this.scenario = scenario;
    this.policy = policy;
    this.course = course;
    this.driver = new RunDriver(server, policy);
    policy.attach(this);
  }

  /**
   * Which steps there are.
   *
   * @param last the number of the last step
   * @param together the step that is followed by the next one at once, without a rest; 0 for none
   */
  record Course(int last, int together) {
    static Course whole(Scenario scenario) {
      return new Course(scenario.steps().size(), 0);
    }
  }

  /**
   * Runs a scenario from an empty cluster to its end.
   *
   * @param policy what goes wrong; used once
   * @param maxAttempts the attempts after which the run is a loop without end
   */
  static RunResult of(
      TestServer server, Scenario scenario, PerturbedPolicy policy, int maxAttempts) {
    return of(server, scenario, policy, maxAttempts, Course.whole(scenario));
  }

  /** The same with some of its steps. */
  static RunResult of(
      TestServer server,
      Scenario scenario,
      PerturbedPolicy policy,
      int maxAttempts,
      Course course) {
    server.clear();
    server.restoreDefinitions();
    ScenarioRun run = new ScenarioRun(server, scenario, policy, course);
    try (RunDriver driver = run.driver) {
      driver.tally().limitAttempts(maxAttempts);
      return run.result();
    }
  }

  RunDriver driver() {
    return driver;
  }

  int stepsDone() {
    return stepsDone;
  }

  private RunResult result() {
    List<String> violations = new ArrayList<>();
    try {
      driver.start(scenario.definitions(), scenario.config());
      while (stepsDone < course.last()) {
        if (!scenario.steps().get(stepsDone).mayBeEarly() && policy.expire()) {
          driver.advance(scenario.rest());
        }
        step();
        if (stepsDone == course.together()) {
          continue;
        }
        driver.advance(scenario.rest());
        if (stepsDone == course.last() && policy.expire()) {
          driver.advance(scenario.rest());
        }
        atRest();
      }
      boolean comesLate = !policy.happened();
      int changes = changesWhenReconciledAgain();
      if (changes > 0 && comesLate) {
        // What was perturbed in this very round is repaired now; a second time it is not.
        changes = changesWhenReconciledAgain();
      }
      if (changes > 0) {
        violations.add(
            "not stable after \"%s\": reconciling again changed objects (%d writes)"
                .formatted(scenario.steps().get(stepsDone - 1).name(), changes));
      }
    } catch (RunawayException e) {
      violations.add("busy loop: " + e.getMessage());
    }
    if (driver.staleWrite() != null) {
      violations.add("write by a former owner: " + driver.staleWrite());
    }
    if (!policy.happened()) {
      violations.add("not deterministic: the place of the perturbation was not reached");
    }
    return new RunResult(
        policy.calls(),
        driver.tally(),
        rests,
        policy.skippedStep(),
        state(),
        violations,
        policy.attemptsByStep(),
        failing,
        driver.log());
  }

  /** Keeps what there is at rest, before anything is done that no controller waits for. */
  private void atRest() {
    if (!policy.holdsBack()) {
      rests.put(stepsDone, state());
    }
    String step = scenario.steps().get(stepsDone - 1).name();
    driver.tally().failing().forEach(one -> failing.add("after \"" + step + "\": " + one));
  }

  private ClusterState state() {
    return ClusterState.of(server.objects(), scenario);
  }

  /** Reconciles everything once more; returns the number of writes, 0 when they changed nothing. */
  private int changesWhenReconciledAgain() {
    Map<String, Long> versions = server.settle();
    int writes = driver.tally().writes();
    driver.log().add("", "everything is reconciled once more: nothing may change");
    driver.reconcileAllAgain();
    driver.settle();
    return server.settle().equals(versions) ? 0 : driver.tally().writes() - writes;
  }

  /** Does the next step early, if there is one that may be. */
  void stepEarly() {
    if (stepsDone < course.last() && scenario.steps().get(stepsDone).mayBeEarly()) {
      step();
    }
  }

  private void step() {
    Step step = scenario.steps().get(stepsDone++);
    driver.log().add("user", step.name());
    if (!step.yaml().isEmpty()) {
      driver.apply("", step.yaml());
    }
    driver.serverChanged();
    try {
      step.action().run(driver.user());
    } catch (Exception e) {
      throw new IllegalStateException(
          "step \"" + step.name() + "\" failed after\n" + driver.log().all(), e);
    }
  }
}
