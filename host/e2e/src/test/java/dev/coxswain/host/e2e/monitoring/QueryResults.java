// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.monitoring;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The results of the queries of boards, as a table. */
final class QueryResults {

  /** The table of the page begins below this line. */
  private static final String MARK =
      "<!-- Written by MonitoringIT with -Dcoxswain.update=true. -->";

  private final List<Row> rows = new ArrayList<>();

  private record Row(String board, String panel, String query, int series, List<Double> values) {}

  void add(String board, String panel, String query, JsonNode result) {
    List<Double> values = new ArrayList<>();
    for (JsonNode one : result) {
      double value = number(one.at("/value/1").asText());
      if (!Double.isNaN(value)) {
        values.add(value);
      }
    }
    rows.add(new Row(board, panel, query, result.size(), values));
  }

  private static double number(String text) {
    return switch (text) {
      case "+Inf" -> Double.POSITIVE_INFINITY;
      case "-Inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(text);
    };
  }

  /** Returns the queries without a row that is a number. */
  List<String> withoutData() {
    return rows.stream().filter(row -> row.values().isEmpty()).map(Row::toString).toList();
  }

  /** Writes them into a page, below what it says about them. */
  void write(Path page) throws IOException {
    String text = Files.readString(page);
    String day = LocalDate.now(ZoneOffset.UTC).toString();
    String table =
        rows.stream().map(QueryResults::line).collect(Collectors.joining("\n", "", "\n"));
    Files.writeString(
        page,
        text.substring(0, text.indexOf(MARK))
            + MARK
            + "\n\nAs of "
            + day
            + ".\n\n| board | panel | query | rows | smallest | largest |\n"
            + "|---|---|---|---:|---:|---:|\n"
            + table);
  }

  private static String line(Row row) {
    DoubleSummaryStatistics values =
        row.values().stream().mapToDouble(Double::doubleValue).summaryStatistics();
    return "| %s | %s | `%s` | %d | %s | %s |"
        .formatted(
            row.board(),
            row.panel().replaceAll("\\{\\{(\\w+)}}", "<$1>").replace("<", "&lt;"),
            row.query().replaceAll("\\{[^}]*}", "").replace("$__rate_interval", "5m"),
            row.series(),
            text(values.getMin()),
            text(values.getMax()));
  }

  private static String text(double value) {
    String plain = String.format(Locale.ROOT, "%.4g", value);
    return plain.contains(".") && !plain.contains("e")
        ? plain.replaceAll("0+$", "").replaceAll("\\.$", "")
        : plain;
  }
}
