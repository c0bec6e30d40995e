// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Whether one budget is met, by what counts of the rounds.
 *
 * @param outcome "met", "not met", or "not measured" when too few rounds count
 * @param found the figure that decides
 */
record Verdict(String budget, String outcome, String found) {
  private static final double FIRST_PAGE_MILLIS = 100;
  private static final double COUNTS_MILLIS = 20;
  private static final double OBJECT_MILLIS = 50;
  private static final double CHANGE_PERCENT = 5;
  private static final double STOP_MILLIS = 1_000;

  String line() {
    return budget + ": " + outcome + ", " + found;
  }

  private static String outcome(boolean measured, boolean met) {
    return measured ? met ? "met" : "not met" : "not measured";
  }

  /** Judges a run, of which all parts are given. */
  static List<Verdict> of(List<PartSummary> parts) {
    List<Verdict> all = new ArrayList<>();
    all.add(p99(part(parts, Part.FIRST_PAGE), FIRST_PAGE_MILLIS));
    all.add(p99(part(parts, Part.ALL_COUNTS), COUNTS_MILLIS));
    all.add(p99(part(parts, Part.ONE_COUNTS), COUNTS_MILLIS));
    if (parts.stream().anyMatch(part -> part.name().equals(Part.ALL_CAUSES))) {
      all.add(p99(part(parts, Part.ALL_CAUSES_ALONE), FIRST_PAGE_MILLIS));
      all.add(p99(part(parts, Part.ALL_CAUSES), FIRST_PAGE_MILLIS));
      all.add(p99(part(parts, Part.ONE_CAUSES), FIRST_PAGE_MILLIS));
      all.add(p99(part(parts, Part.EXPLANATION), OBJECT_MILLIS));
      all.add(p99(part(parts, Part.OBJECT), OBJECT_MILLIS));
    }
    all.add(loops(parts));
    all.add(throughput(parts));
    all.add(stop(part(parts, Part.FLUSH)));
    return all;
  }

  private static PartSummary part(List<PartSummary> parts, String name) {
    return parts.stream().filter(part -> part.name().equals(name)).findFirst().orElseThrow();
  }

  private static String found(PartSummary part, Figure figure) {
    String counted =
        part.counts() == 0
            ? "nothing"
            : figure.text(part.value(figure)) + ", worst round " + figure.text(part.worst(figure));
    return counted + part.remark();
  }

  private static Verdict p99(PartSummary part, double limit) {
    return new Verdict(
        part.name() + ", p99 under " + Figure.P99.text(limit),
        outcome(part.measured(), part.value(Figure.P99) < limit),
        found(part, Figure.P99));
  }

  private static Verdict loops(List<PartSummary> parts) {
    double over = sum(parts, Figure.OVER_WITH);
    return new Verdict(
        "event loops never held for more than 5 ms by own work",
        over > 0 ? "not met" : outcome(measured(parts), true),
        String.format(
            Locale.ROOT,
            "%.0f of %.0f looks with calls, %.0f of %.0f without",
            over,
            sum(parts, Figure.LOOKS_WITH),
            sum(parts, Figure.OVER_WITHOUT),
            sum(parts, Figure.LOOKS_WITHOUT)));
  }

  private static double sum(List<PartSummary> parts, Figure figure) {
    return parts.stream()
        .filter(part -> part.counts() > 0)
        .mapToDouble(part -> part.value(figure))
        .sum();
  }

  private static boolean measured(List<PartSummary> parts) {
    return parts.stream().allMatch(PartSummary::measured);
  }

  /** The part with the greatest change decides. */
  private static Verdict throughput(List<PartSummary> parts) {
    PartSummary most =
        parts.stream()
            .max(Comparator.comparingDouble(part -> Math.abs(part.value(Figure.CHANGE))))
            .orElseThrow();
    return new Verdict(
        "throughput within 5 % in every part",
        outcome(measured(parts), Math.abs(most.value(Figure.CHANGE)) <= CHANGE_PERCENT),
        most.name() + " " + found(most, Figure.CHANGE));
  }

  /** A flush that had ended by itself was not stopped, and items that go later are not stopped. */
  private static Verdict stop(PartSummary flush) {
    double tooSoon = flush.value(Figure.ENDED_BEFORE);
    double after = flush.value(Figure.FLUSHED_AFTER);
    return new Verdict(
        "a flush stops within 1 s, and no item goes after that",
        outcome(
            flush.measured(),
            flush.value(Figure.STOP) <= STOP_MILLIS && tooSoon == 0 && after == 0),
        found(flush, Figure.STOP)
            + String.format(
                Locale.ROOT,
                "; %.0f items went after that, %.0f of %d had ended before",
                after,
                tooSoon,
                flush.counts()));
  }
}
