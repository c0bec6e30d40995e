// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.whole;

import dev.coxswain.testing.report.Statistics;
import dev.coxswain.testing.report.Table;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The values of all rounds, by figure and subject.
 */
final class WholeReport {
  private static final List<String> ORDER =
      List.of(
          SubjectStarter.COXSWAIN,
          SubjectStarter.CACHED,
          SubjectStarter.OFFICIAL,
          SubjectStarter.JOSDK);

  /** By row, its figures in the order in which they came, and the values of each subject. */
  private final Map<Row, Map<Measure, Map<String, List<Double>>>> rows = new LinkedHashMap<>();

  /**
   * Figures that are measured together.
   *
   */
  record Row(String id, String title) {}

  /**
   * One figure; less is better in all of them.
   *
   * @param name what was measured, with its unit at the end
   */
  record Measure(String name, int decimals) {}

  void add(Row row, String name, int decimals, String subject, double value) {
    rows.computeIfAbsent(row, _ -> new LinkedHashMap<>())
        .computeIfAbsent(new Measure(name, decimals), _ -> new LinkedHashMap<>())
        .computeIfAbsent(subject, _ -> new ArrayList<>())
        .add(value);
  }

  Set<Row> rows() {
    return rows.keySet();
  }

  /** Returns the medians of a row, by figure and subject. */
  Map<Measure, Map<String, Double>> medians(Row row) {
    Map<Measure, Map<String, Double>> all = new LinkedHashMap<>();
    rows.getOrDefault(row, Map.of())
        .forEach((measure, bySubject) -> {
          Map<String, Double> medians = new LinkedHashMap<>();
          bySubject.forEach((subject, values) -> medians.put(subject, Statistics.median(values)));
          all.put(measure, medians);
        });
    return all;
  }

  /** Returns the subjects that have a figure in a row, ours first. */
  List<String> subjects(Row row) {
    Set<String> found = new LinkedHashSet<>();
    medians(row).values().forEach(bySubject -> found.addAll(bySubject.keySet()));
    return ORDER.stream().filter(found::contains).toList();
  }

  /** Prints a table for each row. */
  void print(PrintStream out, int rounds) {
    for (Row row : rows.keySet()) {
      List<String> subjects = subjects(row);
      List<String> header = new ArrayList<>(List.of("median of " + rounds));
      header.addAll(subjects);
      Table table = new Table(header.toArray(String[]::new));
      medians(row)
          .forEach((measure, medians) -> {
            List<String> cells = new ArrayList<>(List.of(measure.name));
            subjects.forEach(subject -> cells.add(cell(measure, medians, subject)));
            table.row(cells.toArray(String[]::new));
          });
      table.print(out, row.title);
    }
  }

  private static String cell(Measure measure, Map<String, Double> medians, String subject) {
    double value = medians.getOrDefault(subject, Double.NaN);
    String number = Table.number(value, measure.decimals);
    return subject.equals(SubjectStarter.COXSWAIN)
        ? number
        : number
            + " ("
            + Table.ratio(value, medians.getOrDefault(SubjectStarter.COXSWAIN, Double.NaN))
            + ")";
  }
}
