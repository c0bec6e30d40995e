// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.search;

import dev.coxswain.junit5.explore.ExplorationReport;
import dev.coxswain.junit5.explore.ExplorationReport.Failure;
import dev.coxswain.junit5.explore.Perturbation;
import dev.coxswain.junit5.explore.Perturbation.Kind;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.junit5.internal.run.TestServer;
import dev.coxswain.junit5.internal.search.ClusterState.Difference;
import dev.coxswain.junit5.internal.search.ScenarioRun.Course;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Explores a scenario: the reference run, a second one that must make the same calls, then one run
 * for each perturbation.
 *
 * <p>Thread rule: one thread; the runs of a parallel scenario are on others.
 */
public final class Explorer {

  private static final int REFERENCE_ATTEMPTS = 10_000;
  private static final int LINES_BEFORE = 6;
  private static final int LINES = 60;

  /** Lines of a reference run that broke a law. */
  private static final int TAIL = 200;

  private final TestServer server;
  private final Scenario scenario;
  private final BiFunction<Perturbation, Set<String>, PerturbedPolicy> policies;

  /** The runs of {@link #skipping} by their step. */
  private final Map<Integer, RunResult> skipping = new ConcurrentHashMap<>();

  /** Prepares an exploration. */
  public Explorer(TestServer server, Scenario scenario) {
    this(server, scenario, PerturbedPolicy::new);
  }

  /** With other policies, each of a perturbation and the namespaces of the requests: a test seeds faults in them. */
  Explorer(
      TestServer server,
      Scenario scenario,
      BiFunction<Perturbation, Set<String>, PerturbedPolicy> policies) {
    this.server = server;
    this.scenario = scenario;
    this.policies = policies;
  }

  /**
   * Runs everything.
   *
   * @throws AssertionError when the reference run breaks a law itself, or is not deterministic
   */
  public ExplorationReport explore() {
    RunResult reference = reference();
    Map<Kind, Integer> runs = new EnumMap<>(Kind.class);
    List<Found> found = new ArrayList<>();
    List<Perturbation> all = PerturbationPlan.of(reference, scenario);
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    List<Perturbation> plan = PerturbationPlan.sample(all, scenario.most(), seed);
    for (Found one : runAll(reference, plan)) {
      runs.merge(one.failure.perturbation().kind(), 1, Integer::sum);
      if (!one.failure.violations().isEmpty()) {
        found.add(one);
      }
    }
    found.sort(
        Comparator.comparingInt(Found::linesBefore)
            .thenComparing(one -> one.failure.perturbation().kind()));
    String part =
        plan.size() == all.size()
            ? ""
            : "; a sample of %d of %d perturbations, seed %d"
                .formatted(plan.size(), all.size(), seed);
    return report(reference, part, runs, found.stream().map(Found::failure).toList());
  }

  /** Runs the reference and one perturbation; returns a report with its timeline. */
  public ExplorationReport replay(Perturbation perturbation) {
    RunResult reference = reference();
    Failure failure = run(server, reference, perturbation).failure;
    return report(
        reference,
        "",
        Map.of(perturbation.kind(), 1),
        failure.violations().isEmpty() ? List.of() : List.of(failure));
  }

  private ExplorationReport report(
      RunResult reference, String part, Map<Kind, Integer> runs, List<Failure> failures) {
    return new ExplorationReport(
        "%d attempts, %d calls, %d of them writes, %d events"
                .formatted(
                    reference.attempts(),
                    reference.calls().size(),
                    reference.writes(),
                    reference.events())
            + part,
        Coverage.of(scenario, reference, runs),
        reference.tally().idleWrites(),
        runs,
        failures);
  }

  private RunResult reference() {
    server.keepDefinitions(scenario.installed());
    RunResult reference =
        ScenarioRun.of(server, scenario, PerturbedPolicy.none(), REFERENCE_ATTEMPTS);
    List<String> violations = new ArrayList<>(reference.violations());
    violations.addAll(reference.state().stuck());
    reference
        .tally()
        .neverSucceeded()
        .forEach(one -> violations.add("nothing succeeds, so nothing can be compared: " + one));
    if (reference.attempts() == 0) {
      violations.add("nothing happens: no step leads to an attempt");
    }
    requireLawful(reference, violations);
    for (int steps = 1; steps < scenario.steps().size(); steps++) {
      RunResult part =
          ScenarioRun.of(
              server, scenario, PerturbedPolicy.none(), REFERENCE_ATTEMPTS, new Course(steps, 0));
      requireLawful(part, part.violations());
    }
    RunResult second = ScenarioRun.of(server, scenario, PerturbedPolicy.none(), REFERENCE_ATTEMPTS);
    List<String> differences = differences(server, reference, second);
    if (!shapes(reference).equals(shapes(second)) || !differences.isEmpty()) {
      throw new AssertionError(
          "the scenario is not deterministic: two runs without perturbation differ "
              + differences
              + "\nfirst:\n"
              + reference.log().tail(TAIL)
              + "\nsecond:\n"
              + second.log().tail(TAIL));
    }
    return reference;
  }

  private static void requireLawful(RunResult run, List<String> violations) {
    if (!violations.isEmpty()) {
      throw new AssertionError(
          "the reference run breaks a law: " + violations + "\n" + run.log().tail(TAIL));
    }
  }

  /**
   * Returns how a run differs from the reference: at rest after the first step where it does, since
   * what follows is often a consequence, else at the end.
   */
  private List<String> differences(TestServer on, RunResult reference, RunResult run) {
    for (Map.Entry<Integer, ClusterState> rest : reference.rests().entrySet()) {
      int step = rest.getKey();
      ClusterState other = run.rests().get(step);
      if (other != null) {
        List<Difference> found = rest.getValue().differencesOf(other);
        if (!found.isEmpty() && mayHaveSkipped(run, step)) {
          found = unlike(skipping(on, run.skippedStep()).rests().get(step), other, found);
        }
        if (!found.isEmpty()) {
          String after = " (after \"" + scenario.steps().get(step - 1).name() + "\")";
          return found.stream().map(one -> one.text() + after).toList();
        }
      }
    }
    return reference.state().differences(run.state());
  }

  /** What a controller has never seen it cannot have done; at the end that must not matter. */
  private boolean mayHaveSkipped(RunResult run, int step) {
    return run.skippedStep() > 0
        && step > run.skippedStep()
        && step < scenario.steps().size()
        && scenario.steps().get(run.skippedStep()).mayBeEarly();
  }

  /** Returns a run without a perturbation where a step and the next one come at once. */
  private RunResult skipping(TestServer on, int step) {
    RunResult known = skipping.get(step);
    if (known == null) {
      Course course = new Course(scenario.steps().size(), step);
      known = ScenarioRun.of(on, scenario, PerturbedPolicy.none(), REFERENCE_ATTEMPTS, course);
      skipping.put(step, known);
    }
    return known;
  }

  /** Returns those differences where a state is not as in another reference either. */
  private static List<Difference> unlike(
      @Nullable ClusterState alsoRight, ClusterState state, List<Difference> found) {
    List<Difference> others = alsoRight == null ? found : alsoRight.differencesOf(state);
    return found.stream().filter(one -> others.stream().anyMatch(one::touches)).toList();
  }

  private static List<String> shapes(RunResult result) {
    return result.calls().stream().map(RunResult.SeenCall::shape).toList();
  }

  /**
   * A perturbed run.
   *
   * @param failure without violations when it broke no law
   * @param linesBefore how much had happened before the perturbation
   */
  private record Found(Failure failure, int linesBefore) {}

  private List<Found> runAll(RunResult reference, List<Perturbation> plan) {
    int processors = scenario.isParallel() ? Runtime.getRuntime().availableProcessors() : 1;
    return processors == 1
        ? plan.stream().map(perturbation -> run(server, reference, perturbation)).toList()
        : RunExecutor.all(
            server, processors, plan, (one, perturbation) -> run(one, reference, perturbation));
  }

  private Found run(TestServer on, RunResult reference, Perturbation perturbation) {
    int attempts = 3 * reference.attempts() + 50;
    int writes = 2 * reference.writes() + scenario.extraWrites();
    PerturbedPolicy policy = policies.apply(perturbation, reference.tally().namespaces());
    RunResult result = ScenarioRun.of(on, scenario, policy, 10 * attempts);
    List<String> violations = new ArrayList<>(result.violations());
    if (violations.stream().noneMatch(one -> one.startsWith("busy"))) {
      violations.addAll(0, differences(on, reference, result));
      if (result.attempts() > attempts) {
        violations.add(
            "busy loop: %d attempts, in the reference %d"
                .formatted(result.attempts(), reference.attempts()));
      }
      if (result.writes() > writes) {
        violations.add(
            "too many writes: %d, in the reference %d"
                .formatted(result.writes(), reference.writes()));
      }
    }
    Failure failure =
        new Failure(
            perturbation,
            violations,
            violations.isEmpty() ? "" : result.log().excerpt(LINES_BEFORE, LINES));
    return new Found(failure, result.log().linesBeforeMark());
  }

  /** What an exploration has covered, in lines for its report. */
  private static final class Coverage {

    private Coverage() {}

    static List<String> of(Scenario scenario, RunResult reference, Map<Kind, Integer> runs) {
      List<String> lines = new ArrayList<>();
      lines.add(
          "compared at rest after each of " + scenario.steps().size() + " steps, and at the end");
      for (int step = 1; step <= scenario.steps().size(); step++) {
        lines.add(step(scenario, reference, step));
      }
      reference.failing().forEach(one -> lines.add("failing at rest " + one));
      lines.add(
          "perturbed: "
              + runs.entrySet().stream()
                  .map(one -> one.getKey().code() + " " + one.getValue())
                  .collect(Collectors.joining(", ")));
      List<String> missing = new ArrayList<>();
      for (Kind kind : Kind.values()) {
        if (!runs.containsKey(kind)) {
          missing.add(
              kind.code()
                  + (scenario.kinds().contains(kind)
                      ? " (no " + kind.place().name().toLowerCase(Locale.ROOT) + " for it)"
                      : " (left out)"));
        }
      }
      if (!missing.isEmpty()) {
        lines.add("not perturbed: " + String.join(", ", missing));
      }
      return lines;
    }

    private static String step(Scenario scenario, RunResult reference, int step) {
      List<RunResult.SeenCall> calls =
          reference.calls().stream().filter(call -> call.step() == step).toList();
      return "step \"%s\": %d attempts, %d calls, %d of them writes"
          .formatted(
              scenario.steps().get(step - 1).name(),
              reference.attemptsByStep().getOrDefault(step, 0),
              calls.size(),
              calls.stream().filter(call -> call.write() > 0).count());
    }
  }
}
