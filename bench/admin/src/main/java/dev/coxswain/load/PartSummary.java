// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load;

import java.util.List;
import java.util.Set;

/**
 * All rounds of one part.
 *
 * @param name of the part
 */
record PartSummary(String name, List<Repeats.Round<Attempt>> rounds) {

  /** Returns what was measured of it. */
  Set<Figure> figures() {
    return rounds.getFirst().counted().figures().keySet();
  }

  boolean has(Figure figure) {
    return figures().contains(figure);
  }

  private List<Double> values(Figure figure) {
    return rounds.stream().map(round -> round.counted().figure(figure)).toList();
  }

  /** Returns what counts: the median or the sum over the rounds. */
  double value(Figure figure) {
    return figure.of(values(figure));
  }

  double worst(Figure figure) {
    return figure.worst(values(figure));
  }

  String cell(Figure figure) {
    return figure.cell(values(figure));
  }

  int discarded() {
    return rounds.stream().mapToInt(round -> round.discarded().size()).sum();
  }

  /** Returns in how many rounds no attempt was left alone. */
  int disturbed() {
    return (int) rounds.stream().filter(Repeats.Round::disturbed).count();
  }

  /** Returns a remark when some rounds were disturbed, or nothing. */
  String remark() {
    return disturbed() == 0
        ? ""
        : " (disturbed in " + disturbed() + " of " + rounds.size() + " rounds)";
  }
}
