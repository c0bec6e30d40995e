// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import dev.coxswain.bench.report.Table;
import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * What came out of a scenario. Times are seconds.
 *
 * <p>Thread rule: immutable.
 *
 * @param scenario its name
 * @param recoverMedian the median over the victim's keys of the time to the first attempt
 *     elsewhere; NaN without a victim
 * @param recoverWorst the longest of these
 * @param gapMedian the median over keys of the longest time from a change to its reconciliation
 * @param gapWorst the longest of these
 * @param moves how often a key changed its process
 * @param slots how many slots changed hands as planned
 * @param handOverMedian the median over them of the milliseconds without an owner that may start
 *     requests; NaN without any
 * @param handOverWorst the longest of these
 * @param overlaps attempts that might write beside one of a later ownership
 * @param stale writes of an older ownership after a newer one
 * @param lost objects whose latest generation was not reconciled in the end
 * @param refused attempts whose write the guard refused
 * @param excess by how many retries the worst window exceeded the limiter's cap; at most 0 when it
 *     was kept
 * @param note broken promises in words, mostly nothing
 */
record OwnershipRow(
    String scenario,
    double recoverMedian,
    double recoverWorst,
    double gapMedian,
    double gapWorst,
    int moves,
    int slots,
    double handOverMedian,
    double handOverWorst,
    int overlaps,
    int stale,
    int lost,
    int refused,
    double excess,
    String note) {

  /** Returns a table of rows. */
  static Table table(List<OwnershipRow> rows) {
    Table table =
        new Table(
            "scenario",
            "recovered s, median",
            "worst",
            "change to write s, median",
            "worst",
            "keys moved",
            "slots handed over",
            "unowned ms, median",
            "worst",
            "overlaps",
            "stale writes",
            "lost",
            "writes refused",
            "worst window excess",
            "note");
    for (OwnershipRow row : rows) {
      table.row(
          row.scenario,
          Table.number(row.recoverMedian, 2),
          Table.number(row.recoverWorst, 2),
          Table.number(row.gapMedian, 2),
          Table.number(row.gapWorst, 2),
          Integer.toString(row.moves),
          Integer.toString(row.slots),
          Table.number(row.handOverMedian, 1),
          Table.number(row.handOverWorst, 1),
          Integer.toString(row.overlaps),
          Integer.toString(row.stale),
          Integer.toString(row.lost),
          Integer.toString(row.refused),
          Table.number(row.excess, 1),
          row.note);
    }
    return table;
  }

  /** Returns whether every promise was kept. */
  boolean good() {
    return overlaps == 0 && stale == 0 && lost == 0 && excess <= 0 && note.isEmpty();
  }

  JsonObject json() {
    JsonObject json = new JsonObject().put("scenario", scenario);
    if (!Double.isNaN(recoverWorst)) {
      json.put("recoverMedianSeconds", recoverMedian).put("recoverWorstSeconds", recoverWorst);
    }
    if (slots > 0) {
      json.put("handOverMedianMillis", handOverMedian).put("handOverWorstMillis", handOverWorst);
    }
    return json.put("slotsHandedOver", slots)
        .put("gapMedianSeconds", gapMedian)
        .put("gapWorstSeconds", gapWorst)
        .put("keysMoved", moves)
        .put("overlaps", overlaps)
        .put("staleWrites", stale)
        .put("lost", lost)
        .put("writesRefused", refused)
        .put("limiterExcess", excess)
        .put("good", good())
        .put("note", note);
  }
}
