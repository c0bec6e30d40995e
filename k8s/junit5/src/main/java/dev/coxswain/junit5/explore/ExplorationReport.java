// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.explore;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The result of an exploration.
 *
 * <p>Thread rule: immutable.
 *
 * @param reference what the reference run did, in one line
 * @param coverage what was covered: the steps with what the reference did after each, requests that
 *     failed at rest, the kinds of perturbations with their numbers, and those that had no place
 * @param idleWrites the writes of the reference that the server accepted and that changed nothing:
 *     method and path without names, and how many. No failure, but work for each object of a cluster
 *     whenever its controller starts
 * @param runs how many perturbed runs there were of each kind
 * @param failures the perturbed runs that broke a law, the shortest one first
 */
public record ExplorationReport(
    String reference,
    List<String> coverage,
    Map<String, Integer> idleWrites,
    Map<Perturbation.Kind, Integer> runs,
    List<Failure> failures) {

  private static final int LISTED = 20;

  /**
   * A run that broke laws.
   *
   * @param perturbation what went wrong
   * @param violations the laws that were broken, and how
   * @param timeline what happened, from shortly before the perturbation
   */
  public record Failure(Perturbation perturbation, List<String> violations, String timeline) {
    public Failure {
      violations = List.copyOf(violations);
    }
  }

  public ExplorationReport {
    coverage = List.copyOf(coverage);
    idleWrites = Collections.unmodifiableMap(new TreeMap<>(idleWrites));
    Map<Perturbation.Kind, Integer> copy = new EnumMap<>(Perturbation.Kind.class);
    copy.putAll(runs);
    runs = Collections.unmodifiableMap(copy);
    failures = List.copyOf(failures);
  }

  /** Returns how many perturbed runs there were. */
  public int total() {
    return runs.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** Returns whether every run kept every law. */
  public boolean passed() {
    return failures.isEmpty();
  }

  /**
   * Fails unless every run kept every law.
   *
   * @throws AssertionError with {@link #text}
   */
  public void verify() {
    if (!passed()) {
      throw new AssertionError(text());
    }
  }

  /** Returns the report: the shortest failure with its timeline, and the others in one line each. */
  public String text() {
    StringBuilder text = new StringBuilder();
    text.append("explored ")
        .append(total())
        .append(" perturbations, ")
        .append(failures.size())
        .append(failures.size() == 1 ? " failure\n" : " failures\n")
        .append("reference: ")
        .append(reference)
        .append('\n');
    coverage.forEach(line -> text.append("  ").append(line).append('\n'));
    idleWrites.forEach((write, count) ->
        text.append("  changed nothing: ")
            .append(write)
            .append(", ")
            .append(count)
            .append(count == 1 ? " write\n" : " writes\n"));
    if (failures.isEmpty()) {
      return text.toString();
    }
    Failure shortest = failures.getFirst();
    text.append("\nshortest failure: ").append(shortest.perturbation().text()).append('\n');
    shortest.violations().forEach(one -> text.append("  - ").append(one).append('\n'));
    text.append("\nreplay it:  kit.replay(scenario, \"")
        .append(shortest.perturbation().code())
        .append("\");\n\n")
        .append(shortest.timeline());
    if (failures.size() > 1) {
      text.append("\nalso:\n");
    }
    failures.stream()
        .skip(1)
        .limit(LISTED)
        .forEach(failure ->
            text.append("  ")
                .append(failure.perturbation().code())
                .append("  ")
                .append(failure.violations().getFirst())
                .append('\n'));
    if (failures.size() > LISTED + 1) {
      text.append("  and ").append(failures.size() - LISTED - 1).append(" more\n");
    }
    return text.toString();
  }
}
