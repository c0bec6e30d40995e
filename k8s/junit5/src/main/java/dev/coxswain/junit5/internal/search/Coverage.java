// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.search;

import dev.coxswain.junit5.explore.Perturbation.Kind;
import dev.coxswain.junit5.explore.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What an exploration has covered, in lines for its report. */
final class Coverage {

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
