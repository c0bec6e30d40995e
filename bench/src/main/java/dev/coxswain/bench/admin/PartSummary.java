// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * All rounds of one part.
 *
 * @param name of the part
 */
record PartSummary(String name, List<Repeats.Round<Attempt>> rounds) {
  private List<Attempt> counted() {
    return rounds.stream().map(Repeats.Round::counted).filter(Objects::nonNull).toList();
  }

  /** Returns what was measured of it, in one attempt or another. */
  Set<Figure> figures() {
    Repeats.Round<Attempt> first = rounds.getFirst();
    Attempt any = first.counted() == null ? first.discarded().getFirst() : first.counted();
    return any.figures().keySet();
  }

  boolean has(Figure figure) {
    return figures().contains(figure);
  }

  private List<Double> values(Figure figure) {
    return counted().stream().map(attempt -> attempt.figure(figure)).toList();
  }

  /** Returns what counts: the median or the sum over the rounds; no number when none counts. */
  double value(Figure figure) {
    return counts() == 0 ? Double.NaN : figure.of(values(figure));
  }

  double worst(Figure figure) {
    return counts() == 0 ? Double.NaN : figure.worst(values(figure));
  }

  String cell(Figure figure) {
    return counts() == 0 ? "none" : figure.cell(values(figure));
  }

  int counts() {
    return counted().size();
  }

  /** Returns whether enough rounds count to judge by them: half of them. */
  boolean measured() {
    return counts() * 2 >= rounds.size();
  }

  int discarded() {
    return rounds.stream().mapToInt(round -> round.discarded().size()).sum();
  }

  /** Returns its name, with a remark when some rounds do not count. */
  String title() {
    return name + remark();
  }

  /** Returns a remark when some rounds do not count, or nothing. */
  String remark() {
    return counts() == rounds.size()
        ? ""
        : " (" + counts() + " of " + rounds.size() + " rounds count)";
  }
}
