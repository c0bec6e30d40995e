// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Attempts for tests, by default with all budgets kept and nothing stolen. */
final class Attempts {
  private static final List<String> READS =
      List.of(Part.FIRST_PAGE, Part.NAMESPACE_PAGE, Part.ALL_COUNTS, Part.ONE_COUNTS);

  private Attempts() {}

  static Attempt of(Figure figure, double value) {
    Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    for (Figure each : Figure.values()) {
      figures.put(each, 0.0);
    }
    figures.put(Figure.LOOKS_WITH, 1_000.0);
    figures.put(Figure.LOOKS_WITHOUT, 900.0);
    figures.put(figure, value);
    return new Attempt(figures, List.of(figure.label()));
  }

  static Repeats.Round<Attempt> counted(Attempt attempt) {
    return new Repeats.Round<>(List.of(), attempt);
  }

  /** Returns all parts, each with one good round, but one part with these rounds. */
  static List<PartSummary> run(String part, List<Repeats.Round<Attempt>> rounds) {
    List<String> names = new ArrayList<>(READS);
    names.add(Part.FLUSH);
    return names.stream()
        .map(name ->
            new PartSummary(
                name, name.equals(part) ? rounds : List.of(counted(of(Figure.CALLS, 1)))))
        .toList();
  }
}
