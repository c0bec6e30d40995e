// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.search;

import dev.coxswain.junit5.explore.Perturbation;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.junit5.explore.Scenario.Step;
import dev.coxswain.junit5.internal.run.RunDriver;
import dev.coxswain.junit5.internal.run.RunawayException;
import dev.coxswain.junit5.internal.run.TestServer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
  private int stepsDone;

  private ScenarioRun(TestServer server, Scenario scenario, PerturbedPolicy policy) {
    this.server = server;
    this.scenario = scenario;
    this.policy = policy;
    this.driver = new RunDriver(server, policy);
    policy.attach(this);
  }

  /**
   * Runs a scenario from an empty cluster to its end.
   *
   * @param perturbation what goes wrong; null for nothing
   * @param maxAttempts the attempts after which the run is a loop without end
   */
  static RunResult of(
      TestServer server, Scenario scenario, @Nullable Perturbation perturbation, int maxAttempts) {
    server.api().faults().reset();
    server.api().state().clear();
    scenario.installed().forEach(server::install);
    ScenarioRun run = new ScenarioRun(server, scenario, new PerturbedPolicy(perturbation));
    try (RunDriver driver = run.driver) {
      driver.limitAttempts(maxAttempts);
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
      while (stepsDone < scenario.steps().size()) {
        if (!scenario.steps().get(stepsDone).mayBeEarly() && policy.expire()) {
          driver.advance(scenario.rest());
        }
        step();
        driver.advance(scenario.rest());
      }
      if (policy.expire()) {
        driver.advance(scenario.rest());
      }
      int changes = changesWhenReconciledAgain();
      if (changes > 0 && !policy.isReference()) {
        // What a perturbation at the very end had kept back is done now; a second time it is not.
        changes = changesWhenReconciledAgain();
      }
      if (changes > 0) {
        violations.add("not stable: reconciling again changed objects (" + changes + " writes)");
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
        driver.attempts(),
        driver.writes(),
        driver.events(),
        ClusterState.of(server.api().state().objects(), scenario),
        violations,
        driver.log());
  }

  /** Reconciles everything once more; returns the number of writes, 0 when they changed nothing. */
  private int changesWhenReconciledAgain() {
    long version = server.api().state().settle();
    int writes = driver.writes();
    driver.log().add("", "everything is reconciled once more: nothing may change");
    driver.reconcileAllAgain();
    driver.settle();
    return server.api().state().settle() == version ? 0 : driver.writes() - writes;
  }

  /** Does the next step early, if there is one that may be. */
  void stepEarly() {
    if (stepsDone < scenario.steps().size() && scenario.steps().get(stepsDone).mayBeEarly()) {
      step();
    }
  }

  private void step() {
    Step step = scenario.steps().get(stepsDone++);
    driver.log().add("user", step.name());
    if (!step.yaml().isEmpty()) {
      driver.apply(step.yaml());
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
