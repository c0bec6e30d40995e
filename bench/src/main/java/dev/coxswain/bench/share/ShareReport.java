// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.share;

import static dev.coxswain.testing.report.Table.number;

import dev.coxswain.bench.run.Arguments;
import dev.coxswain.testing.report.Table;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The rows of a run, as a table and as a plot. */
final class ShareReport {
  private static final int WIDTH = 50;

  private final List<Row> rows = new ArrayList<>();

  /**
   * The figures of one mode with one number of replicas. Of replicas they are medians, except those
   * after the kill, which are sums; NaN where there is none.
   *
   * @param changes acknowledged changes a second
   * @param events events that a replica received, a second
   * @param bytes bytes of the objects in these events, a second
   * @param dropped the share of events of objects that the replica does not keep
   * @param selected for how many replicas the API server selects
   * @param ranges for how many ranges of namespaces a watch asks
   * @param replicaCpu processor time of a replica, in seconds a second
   * @param serverCpu that of the API server
   * @param startObjects objects that a replica listed until it had its slots
   * @param heldMillis from the kill until all slots were held again
   * @param killObjects objects that the others listed meanwhile
   */
  record Row(
      ShareSubject mode,
      int replicas,
      double changes,
      double events,
      double bytes,
      double dropped,
      int selected,
      double ranges,
      double replicaCpu,
      double serverCpu,
      double startObjects,
      double startBytes,
      double heldMillis,
      double killObjects,
      double killBytes) {}

  void add(Row row) {
    rows.add(row);
  }

  /** Prints a table; nothing when the run was broken off before its first row. */
  void table(PrintStream out, String title) {
    if (rows.isEmpty()) {
      return;
    }
    Table table =
        new Table(
            "mode",
            "replicas",
            "changes/s",
            "events/s, each",
            "KiB/s, each",
            "dropped",
            "selected",
            "ranges",
            "replica cpu ms/s",
            "server cpu ms/s",
            "start: objects",
            "MiB",
            "kill -9: held after ms",
            "objects",
            "MiB");
    for (Row row : rows) {
      table.row(
          Arguments.key(row.mode),
          Integer.toString(row.replicas),
          number(row.changes, 0),
          number(row.events, 1),
          number(row.bytes / 1024, 1),
          number(100 * row.dropped, 1) + " %",
          row.selected + " of " + row.replicas,
          number(row.ranges, 0),
          number(1e3 * row.replicaCpu, 0),
          number(1e3 * row.serverCpu, 0),
          number(row.startObjects, 0),
          mebibytes(row.startBytes),
          number(row.heldMillis, 0),
          number(row.killObjects, 0),
          mebibytes(row.killBytes));
    }
    table.print(out, title);
  }

  private static String mebibytes(double bytes) {
    return number(bytes / 1024 / 1024, 1);
  }

  /** Prints a bar for each row; nothing when there is one number of replicas only. */
  void plot(PrintStream out) {
    if (rows.stream().mapToInt(Row::replicas).distinct().count() < 2) {
      return;
    }
    double most = rows.stream().mapToDouble(Row::bytes).max().orElse(0);
    out.println();
    out.println("### KiB that each replica receives a second, by the number of replicas");
    out.println();
    for (Row row : rows) {
      int length = most > 0 ? (int) Math.round(WIDTH * row.bytes / most) : 0;
      out.printf(
          Locale.ROOT,
          "    %-9s %2d |%-" + WIDTH + "s %s%n",
          Arguments.key(row.mode),
          row.replicas,
          "#".repeat(length),
          number(row.bytes / 1024, 1));
    }
    out.flush();
  }
}
